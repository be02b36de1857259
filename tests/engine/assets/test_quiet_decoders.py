"""Damaged pictures are told of by an error of ours; the libraries' own words reach no terminal."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from engine.assets.decoders import exr
from engine.assets.decoders.process import DecoderPool
from engine.errors import AssetError
from tests.patience import PROCESS_S

ROOT = Path(__file__).resolve().parents[3]
READ = """
import sys
from pathlib import Path
from editor.qt.pictures import small_picture
from engine.assets.gltf.pictures import Picture
from engine.assets.light import read_light
from engine.errors import AssetError

out, *files = map(Path, sys.argv[1:])
for file in files:
    try:
        if file.suffix in (".exr", ".hdr"):
            read_light(file)
        else:
            Picture(file.read_bytes()).decode()
            small_picture(file, 64)
        told = "read"
    except AssetError as error:
        told = str(error)
    assert small_picture(file, 64).isNull() or told == "read"
    with open(out, "a") as log:
        log.write(f"{file.name}: {told}\\n")
"""


def picture(kind: str, **options) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 256, (48, 48, 3), np.uint8)
    buffer = io.BytesIO()
    PIL.Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()


def write_exr(path: Path) -> Path:
    package = pytest.importorskip("OpenEXR", reason="EXR files need a package")
    channels = {name: np.random.default_rng(2).random((16, 32), np.float32) for name in "RGB"}
    header = {"compression": package.ZIP_COMPRESSION, "type": package.scanlineimage}
    package.File(header, channels).write(str(path))
    return path


def damaged(folder: Path) -> list[Path]:
    whole = write_exr(folder / "whole.exr").read_bytes()
    contents = {
        "cut.exr": whole[: len(whole) // 2],
        "header.exr": whole[:40] + b"\xff" * 30 + whole[70:],
        "body.exr": whole[:600] + bytes(400) + whole[1000:],
        "cut.hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 16 +X 32\n\x02\x02\x00\x20\x90",
        "cut.jpg": picture("JPEG")[:400],
        # Pillow warns of it, and reads the pixels.
        "exif.jpg": picture("JPEG", exif=b"Exif\x00\x00II*\x00\x08\x00\x00\x00\x05\x00"),
        "cut.png": picture("PNG")[:500],
        "crc.png": picture("PNG").replace(b"IDAT", b"IDAT\x00", 1),
        "cut.webp": picture("WEBP")[:200],
        "cut.ktx2": b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(60),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in contents]


def test_nothing_is_printed_about_damaged_pictures(tmp_path):
    files, out = damaged(tmp_path), tmp_path / "told.txt"
    command = [sys.executable, "-c", READ, str(out), *map(str, files)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PROCESS_S, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    told = dict(line.split(": ", 1) for line in out.read_text().splitlines())
    assert told.keys() == {file.name for file in files}
    assert told["exif.jpg"] == "read"
    assert [name for name, text in told.items() if text == "read"] == ["exif.jpg"]
    assert "cut.exr: found a damaged file" in told["cut.exr"]


def test_an_exr_is_read_by_a_process_that_is_kept_and_where_there_is_none_here(
    tmp_path, monkeypatch
):
    request = str(write_exr(tmp_path / "sky.exr")).encode()
    pool = DecoderPool(exr, seconds=30.0)
    first = pool.decode(request)
    (kept,) = pool._idle
    (tmp_path / "sky.exr").write_bytes(b"v/1\x01")
    with pytest.raises(AssetError):
        pool.decode(request)
    write_exr(tmp_path / "sky.exr")
    again = pool.decode(request)
    assert pool._idle == [kept], "what the library printed did not confuse it"
    pool.close()
    monkeypatch.setattr(subprocess, "Popen", _refuse)
    here = pool.decode(request)
    for part in first:
        np.testing.assert_array_equal(first[part], again[part])
        np.testing.assert_array_equal(first[part], here[part])


def _refuse(*_, **__):
    raise PermissionError("no processes here")
