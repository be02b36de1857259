"""How long tests wait for what is sure to come: so long that no busy machine fails one."""

PATIENCE_S = 120.0
PATIENCE_MS = int(PATIENCE_S * 1000)
# A process of its own, which waits inside as well.
PROCESS_S = 600.0
