"""`cinder-cook`: turn glTF files into cooked files that load without parsing.

Status 0: everything is cooked. 1: a source failed; the others are cooked nevertheless. 2: the
arguments make no sense.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engine.assets.cook_library import CookResult, Source, cook_library, name_sources
from engine.assets.cook_manifest import MANIFEST_NAME, CookManifest
from engine.assets.optional import optional_module
from engine.cli.console import INTERRUPTED, run_printing
from engine.errors import AssetError, EngineError

# Below this a pool of processes takes longer to start than the work.
_WORTH_A_POOL = 1 << 20


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="cinder-cook",
        description="Cook glTF files into OUT_DIR. Sources that did not change are skipped. "
        "What belongs to Fox.glb is named Fox#...; two sources of one name need --prefix.",
    )
    parser.add_argument("out_dir", metavar="OUT_DIR", help="folder of the cooked files")
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="a .gltf or .glb file")
    parser.add_argument(
        "--prefix",
        action="append",
        default=[],
        help="name of a source instead of its file's; once per source, in the same order",
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that cook (default: all cores)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="cook on the dask.distributed cluster of this scheduler, which shares the disk",
    )
    parser.add_argument("--quiet", action="store_true", help="print problems only")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text}, expected 1 or more")
    return number


def main(argv: Sequence[str] | None = None) -> int:
    """Run `cinder-cook`; return the exit status."""
    arguments = build_parser().parse_args(argv)

    def run() -> int:
        try:
            sources = name_sources(arguments.sources, arguments.prefix)
            return 1 if _cook_all(sources, arguments) else 0
        except EngineError as error:
            print(f"cinder-cook: {error}", file=sys.stderr)
            return 2

    return run_printing("cinder-cook", run, 2)


def _cook_all(sources: Sequence[Source], arguments: argparse.Namespace) -> int:
    """Cook and print; return how many sources failed."""
    path = Path(arguments.out_dir) / MANIFEST_NAME
    manifest = CookManifest.load(path)
    out_dir = arguments.out_dir
    if arguments.scheduler:
        # Workers have working folders of their own.
        out_dir = os.path.abspath(out_dir)
        sources = [Source(os.path.abspath(s.path), s.prefix) for s in sources]
    failed = 0
    with ExitStack() as stack:
        wants_pool = arguments.scheduler or (arguments.jobs > 1 and _is_much(sources))
        results = cook_library(
            sources,
            out_dir,
            manifest,
            (lambda: _executor(arguments, stack)) if wants_pool else None,
            None if arguments.quiet else lambda logical: print(f"  {logical}"),
        )
        try:
            for done, result in enumerate(results, 1):
                failed += result.error is not None
                _tell(result, f"[{done}/{len(sources)}] ", arguments.quiet)
        finally:
            manifest.save_under(path, [f"{source.prefix}#" for source in sources])
    return failed


def _is_much(sources: Sequence[Source]) -> bool:
    total = 0
    for source in sources:
        folder = Path(source.path).parent
        if source.path.lower().endswith(".gltf") and os.path.isdir(folder):
            total += sum(e.stat().st_size for e in os.scandir(folder) if e.is_file())
        elif os.path.isfile(source.path):
            total += os.path.getsize(source.path)
    return total > _WORTH_A_POOL


def _executor(arguments: argparse.Namespace, stack: ExitStack) -> Executor:
    if not arguments.scheduler:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(arguments.jobs, mp_context=context, initializer=_end_quietly)
        stack.callback(pool.shutdown, cancel_futures=True)
        with _deaf_to_interrupts():
            # Processes start with the first work, and as deaf as this one is then.
            for _ in range(min(arguments.jobs, os.cpu_count() or 1)):
                pool.submit(_end_quietly)
        return pool
    distributed = optional_module("distributed")
    if distributed is None:
        raise AssetError("--scheduler needs dask.distributed: install cinder-editor[dask]")
    try:
        client = stack.enter_context(distributed.Client(arguments.scheduler))
    except (OSError, ValueError, TimeoutError) as error:
        raise AssetError(f"no scheduler at {arguments.scheduler} ({error})") from None
    executor: Executor = stack.enter_context(client.get_executor(pure=False))
    return executor


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_quietly() -> None:
    """Let an interrupt end what a process of the pool does without a word; the program tells."""
    signal.signal(signal.SIGINT, _leave)


def _leave(_signal: int, _frame: object) -> None:
    raise SystemExit(INTERRUPTED)


def _tell(result: CookResult, place: str, quiet: bool) -> None:
    if result.error is not None:
        print(f"{place}{result.source.path}: {result.error}", file=sys.stderr)
        return
    assert result.report is not None
    for warning in result.report.warnings:
        print(f"{result.source.path}: {warning}", file=sys.stderr)
    if not quiet:
        report = result.report
        print(f"{place}{result.source.path}: {report.cooked} cooked, {report.skipped} up to date")


if __name__ == "__main__":
    sys.exit(main())
