"""Native decoders that run in processes of their own, since damaged data hangs or crashes them.

What they print goes nowhere. Each module here but `process` and `serve` answers one kind of
request; they run as scripts, so none of them imports anything of the engine.
"""
