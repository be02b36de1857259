"""Mutants of real glTF files, loaded in a process of their own.

    python tests/fuzz/gltf_mutants.py ASSETS_DIR [--count 100000] [--seed 0]

Each mutant is a real file with bytes, JSON values, lengths or indices changed. It may load or
raise AssetError; a crash, any other exception, more than a minute or more than a GiB is told
with the mutant's number, which with the seed is enough to make it again.
"""

import argparse
import copy
import faulthandler
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = 60
# Of a machine that may have other work: this finds what never ends, not what is slow.
SECONDS = 60.0
BYTES = 1 << 30
SMALLEST, LARGEST = 1500, 500_000
NUMBERS = (-1, 0, 1, 2, 3, 4, 7, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 1e308)
VALUES = (
    None, True, False, -0.5, 0.5, 1.5, "", "x", "VEC3", "SCALAR", "MAT4", "../x", "data:,", [], {},
    [0], [None], [[]], {"x": 1}, [1e30] * 16, {"bufferView": 0}, {"index": 0},
)  # fmt: skip


def chosen_files(assets):
    """Return the paths of real files that between them have every feature, small ones first."""
    facts = json.loads((assets / "expected.json").read_bytes())
    loadable = (p for p, f in facts.items() if f["verdict"] in ("must_load", "load_if_supported"))
    real = (p for p in loadable if "validator_suite" not in p)
    sized = sorted((sum(map(len, parts_of(assets / p).values())), p) for p in real)
    candidates = [path for size, path in sized if SMALLEST <= size <= LARGEST]
    chosen, seen = [], set()
    for key in (extensions_of, lambda path: facts[str(path.relative_to(assets))]["features"]):
        for path in candidates:
            found = set(key(assets / path))
            if path not in chosen and found - seen and len(chosen) < FILES:
                chosen.append(path)
            seen |= found if path in chosen else set()
    rest = [path for path in candidates if path not in chosen]
    missing = FILES - len(chosen)
    chosen += rest[:: max(len(rest) // max(missing, 1), 1)][:missing]
    return [assets / path for path in sorted(chosen)]


def document_of(data):
    """Return the JSON of a .gltf or .glb and the rest of a .glb; None where it is broken."""
    try:
        if data[:4] == b"glTF":
            length = struct.unpack_from("<I", data, 12)[0]
            return json.loads(data[20 : 20 + length]), data[20 + length :]
        return json.loads(data), None
    except (ValueError, struct.error, RecursionError):
        return None, None


def extensions_of(path):
    document, _ = document_of(path.read_bytes())
    used = document.get("extensionsUsed", ()) if isinstance(document, dict) else ()
    return [name for name in used if isinstance(name, str)] if isinstance(used, list) else []


def parts_of(path):
    """Return the file and its side files that exist, by relative name."""
    data = path.read_bytes()
    found = {path.name: data}
    document, _ = document_of(data)
    for kind in ("buffers", "images"):
        items = document.get(kind, ()) if isinstance(document, dict) else ()
        for item in items if isinstance(items, list) else ():
            uri = item.get("uri", "") if isinstance(item, dict) else ""
            name = urllib.parse.unquote(uri) if isinstance(uri, str) else ""
            side = path.parent / name if name and not name.startswith("data:") else None
            is_inside = side is not None and ".." not in name and len(name) < 200
            if is_inside and "\0" not in name and side.is_file():
                found[name] = side.read_bytes()
    return found


def places(value, path=()):
    """Return the path of every value inside a JSON document."""
    found, todo = [], [(value, path)]
    while todo:
        value, path = todo.pop()
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            found.append((*path, key))
            if isinstance(item, (dict, list)):
                todo.append((item, (*path, key)))
    return found


def mutate_json(rng, document):
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        spots = places(document)
        if not spots:
            break
        *path, key = rng.choice(spots)
        holder = document
        for step in path:
            holder = holder[step]
        value, choice = holder[key], rng.randrange(5)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and choice < 3:
            near = value + rng.choice([-4, -1, 1, 4, 1000])
            holder[key] = near if choice else rng.choice(NUMBERS)
        elif choice == 3:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
    return document


def mutate_bytes(rng, data, start=0, end=None):
    data, end = bytearray(data), len(data) if end is None else end
    for _ in range(rng.randint(1, 8)):
        if end <= start:
            break
        at, choice = rng.randrange(start, end), rng.randrange(5)
        if choice < 2:
            data[at] = rng.randrange(256)
        elif choice == 2:
            data[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\x80"])
        elif choice == 3:
            del data[at : at + rng.randint(1, 8)]
        else:
            data[at:at] = rng.randbytes(rng.randint(1, 8))
        end = min(end, len(data))
    return bytes(data)


def framed(document, rest):
    """Return JSON as a .gltf, or as a .glb before the chunks that followed it."""
    text = json.dumps(document).encode()
    if rest is None:
        return text
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    return head + text + rest


def mutant(rng, path):
    """Return one mutant of a file, with its side files."""
    parts = parts_of(path)
    document, rest = document_of(parts[path.name])
    choice = rng.randrange(10)
    if choice < 6 and isinstance(document, dict) and document:
        parts[path.name] = framed(mutate_json(rng, document), rest)
    elif choice < 9:
        # Where decoders read: inside one of the views of the binary chunk, or a side file.
        name = rng.choice(sorted(parts))
        start, end = (
            span_of(rng, document, rest, len(parts[name])) if name == path.name else (0, None)
        )
        parts[name] = mutate_bytes(rng, parts[name], start, end)
    else:
        name = rng.choice(sorted(parts))
        parts[name] = parts[name][: rng.randrange(len(parts[name]) + 1)]
    return parts


def span_of(rng, document, rest, size):
    views = document.get("bufferViews") if isinstance(document, dict) else None
    if rest is None or not isinstance(views, list) or not views:
        return 0, None
    view = rng.choice(views)
    start = size - len(rest) + 8 + int(view.get("byteOffset", 0))
    return start, min(start + int(view.get("byteLength", 0)), size)


def use(path, lods):
    """Load a file and what follows from it; anything but AssetError escapes."""
    from engine.assets import AssetError, load_gltf

    try:
        asset = load_gltf(path)
    except AssetError:
        return
    asset.world_bounds()
    asset.world_bounds(posed=True)
    for mesh in asset.meshes:
        for primitive in mesh.primitives:
            primitive.mesh.render_mesh(tangents=True)
            if lods:
                primitive.mesh.build_lods()


def work(assets, seed, first, count):
    """Load mutants; print the number of each, and what is wrong with it."""
    import resource

    import engine.assets  # noqa: F401  what it takes is no mutant's

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    files, base = chosen_files(assets), peak()
    with tempfile.TemporaryDirectory() as name:
        for number in range(first, first + count):
            print("mutant", number, flush=True)
            folder = pathlib.Path(name) / "mutant"
            folder.mkdir()
            rng = random.Random(f"{seed}/{number}")
            path = files[number % len(files)]
            for part, data in mutant(rng, path).items():
                (folder / part).parent.mkdir(parents=True, exist_ok=True)
                (folder / part).write_bytes(data)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                use(folder / path.name, lods=number % 4 == 0)
            except BaseException:  # noqa: BLE001  telling of everything is the purpose
                print("problem", number, path, traceback.format_exc(limit=-4), flush=True)
            faulthandler.cancel_dump_traceback_later()
            shutil.rmtree(folder)
            if peak() - base > BYTES:
                print("problem", number, path, f"took {(peak() - base) >> 20} MiB", flush=True)
                return
    print("done", flush=True)


def run(assets, count, seed=0):
    """Load `count` mutants in as many processes as it takes; return the problems."""
    problems, first = [], 0
    while first < count:
        command = [sys.executable, __file__, str(assets), "--worker", str(first)]
        command += ["--count", str(count - first), "--seed", str(seed)]
        worker = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        lines = worker.stdout.splitlines()
        started = [line.split()[1] for line in lines if line.startswith("mutant ")]
        text = "\n".join(line for line in lines if not line.startswith("mutant "))
        problems += text.split("problem ")[1:]
        if not started:
            return [*problems, f"the worker did not start:\n{worker.stderr}"]
        if lines[-1] == "done":
            break
        if worker.returncode:
            where = worker.stderr[-2000:]
            problems.append(f"{started[-1]} ended the process ({worker.returncode}):\n{where}")
        first = int(started[-1]) + 1
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assets", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        sys.path.insert(0, str(ROOT))
        work(arguments.assets, arguments.seed, arguments.worker, arguments.count)
        return 0
    problems = run(arguments.assets.resolve(), arguments.count, arguments.seed)
    print("\n".join(problems))
    print(f"{arguments.count} mutants, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
