"""`cinder-scene`, run in this process; `test_git_merge` runs it as git does."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from engine.cli import documents
from engine.cli.scene import COMMANDS, main
from engine.scene.document import read_binary, read_text, write_binary

LEVEL = """cinder-scene 2
# the yard
entity 0
  Name text="crate"
  LocalTransform translation=[1,2,3] rotation=[0,0,0,1] scale=[1,1,1]
entity 1
entity 2
  Name text="lid"
  Parent entity=#0
  acme.Tag
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**contents):
        for name, content in contents.items():
            path = tmp_path / f"{name}.scene"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def test_convert_there_and_back(files, capsys):
    folder = files(a=LEVEL)
    assert main(["convert", "a.scene", "a.cscn"]) == 0
    assert read_binary((folder / "a.cscn").read_bytes()) == read_text(LEVEL)
    assert main(["convert", "a.cscn", "b.scene"]) == 0
    assert read_text((folder / "b.scene").read_bytes()) == read_text(LEVEL)
    assert "3 entities" in capsys.readouterr().out


def test_migrate_keeps_what_it_does_not_change(files, capsys):
    old = LEVEL.replace("scene 2", "scene 1").replace("acme.Tag", "Health hp=+5")
    folder = files(a=old)
    assert main(["migrate", "a.scene"]) == 0
    expected = LEVEL.replace("acme.Tag", "Health health=5.0")
    assert (folder / "a.scene").read_text() == expected
    assert main(["migrate", "a.scene"]) == 0
    assert capsys.readouterr().out.endswith("already\n")
    files(b="cinder-scene 7\n")
    assert main(["migrate", "b.scene"]) == 2
    assert (folder / "b.scene").read_text() == "cinder-scene 7\n"


def test_compact_renumbers(files):
    folder = files(a=LEVEL.replace("#0", "#2"))
    assert main(["compact", "a.scene"]) == 0
    doc = read_text((folder / "a.scene").read_bytes())
    assert len(doc) == 2
    assert doc.entities[1].get("Parent").get("entity").value == 1


def test_check(files, capsys):
    files(good=LEVEL, bad=LEVEL.replace("#0", "#9"), broken="cinder-scene 2\nentity 5\n")
    assert main(["check", "good.scene"]) == 0
    assert capsys.readouterr().out == "good.scene: ok\n"
    assert main(["check", "good.scene", "bad.scene"]) == 1
    assert '"lid" (#2): Parent.entity refers to #9, which is empty' in capsys.readouterr().out
    assert main(["check", "broken.scene", "good.scene"]) == 2
    assert "broken.scene: line 2: entity out of order" in capsys.readouterr().err


def test_check_finds_cycles_and_missing_assets(files, capsys):
    cycle = LEVEL.replace("acme.Tag", 'GltfInstance asset="none.glb"').replace("#0", "#2")
    files(a=cycle)
    assert main(["check", "a.scene"]) == 1
    out = capsys.readouterr().out
    assert "is its own ancestor" in out
    assert "asset none.glb is missing" in out


def test_diff_in_words(files, capsys):
    new = (
        LEVEL.replace("[1,2,3]", "[5,2,3]")
        .replace("[0,0,0,1]", "[0,0.70710677,0,0.70710677]")
        .replace('"lid"', '"cover"')
        .replace("  acme.Tag\n", "  acme.Mass kg=2\n")
        .replace("entity 1\n", 'entity 1\n  Name text="lamp"\n  LightSource intensity=4\n')
        .replace("entity=#0", "entity=#1")
    )
    files(a=LEVEL, b=new)
    assert main(["diff", "a.scene", "b.scene"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'moved "crate" (#0) from (1, 2, 3) to (5, 2, 3)',
        'turned "crate" (#0) from (0, 0, 0) to (0, 90, 0) degrees',
        'added "lamp" (#1) with Name, LightSource',
        'removed "lid" (#2)',
        'added "cover" (#2) with Name, Parent, acme.Mass',
    ]
    files(c=LEVEL.replace('"lid"', '"cover"').replace("#0", "#-1"))
    assert main(["diff", "a.scene", "a.scene"]) == 0
    assert capsys.readouterr().out == ""


SIGN = """entity 3
  Name text="sign"
  Board text="x" size=1.5 at=#0
  Enabled on=true
"""


def test_more_words(files, capsys):
    new = LEVEL.replace("  Parent entity=#0\n", "").replace("  acme.Tag\n", "  Order rank=1\n")
    sign = SIGN.replace('"x" size=1.5 at=#0', '"y" size=2.5 at=#2').replace("on=true", "on=false")
    files(a=LEVEL + SIGN, b=new + sign)
    assert main(["diff", "a.scene", "b.scene"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'took "lid" (#2) out of its parent',
        'removed acme.Tag from "lid" (#2)',
        'added Order to "lid" (#2)',
        'changed Board.text of "sign" (#3) from "x" to "y"',
        'changed Board.size of "sign" (#3) from 1.5 to 2.5',
        'changed Board.at of "sign" (#3) from "crate" (#0) to "lid" (#2)',
        'disabled "sign" (#3)',
    ]


def test_merge_statuses(files, capsys):
    ours = LEVEL.replace("[1,2,3]", "[9,2,3]")
    theirs = LEVEL.replace("acme.Tag", "acme.Mass kg=2")
    folder = files(base=LEVEL, ours=ours, theirs=theirs, broken="cinder-scene 2\nentity 1\n")
    assert main(["merge", "base.scene", "ours.scene", "theirs.scene", "out.scene"]) == 0
    assert (folder / "out.scene").read_text() == ours.replace("acme.Tag", "acme.Mass kg=2")

    files(theirs=LEVEL.replace("[1,2,3]", "[7,2,3]"))
    assert main(["merge", "base.scene", "ours.scene", "theirs.scene", "out.scene"]) == 1
    out = capsys.readouterr().out
    assert 'conflict: "crate" (#0): LocalTransform.translation' in out
    assert "  base:   [1.0,2.0,3.0]\n  ours:   [9.0,2.0,3.0]\n  theirs: [7.0,2.0,3.0]" in out
    assert (folder / "out.scene").read_text() == ours

    assert main(["merge", "base.scene", "ours.scene", "broken.scene", "out.scene"]) == 2
    assert "broken.scene: line 2" in capsys.readouterr().err
    assert (folder / "out.scene").read_text() == ours


def test_merge_of_binary_and_of_old_files(files):
    folder = files(
        base=LEVEL, ours=write_binary(read_text(LEVEL)), theirs=LEVEL[: LEVEL.index("entity 2")]
    )
    assert main(["merge", "base.scene", "ours.scene", "theirs.scene", "out.scene"]) == 0
    assert len(read_binary((folder / "out.scene").read_bytes())) == 2
    old = LEVEL.replace("scene 2", "scene 1").replace("acme.Tag", "Health hp=5")
    files(base=old, ours=old.replace("[1,2,3]", "[9,2,3]"), theirs=LEVEL)
    assert main(["merge", "base.scene", "ours.scene", "theirs.scene", "out.scene"]) == 0
    assert (folder / "out.scene").read_text() == LEVEL.replace("[1,2,3]", "[9,2,3]")


def test_stats(files, capsys):
    files(a=LEVEL)
    assert main(["stats", "a.scene"]) == 0
    rows = dict(line.rsplit(None, 1) for line in capsys.readouterr().out.splitlines())
    assert rows["entities"] == "2"
    assert rows["empty records"] == "1"
    assert rows["roots"] == "1"
    assert rows["components"] == "5"
    assert rows["  acme.Tag"] == "1"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command(shell, capsys):
    assert main(["completion", shell]) == 0
    assert " ".join(COMMANDS) in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("me", ["merge"]),
        ("comp", ["compact", "completion"]),
        ("completion f", ["fish"]),
        ("render --s", ["--size"]),
        ("merge --h", ["--help"]),
        # Files are left to the shell, which quotes blanks in their names.
        ("diff my", []),
    ],
)
def test_bash_completes(words, expected, capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    typed = words.split(" ")
    asked = f"""
COMP_WORDS=(cinder-scene {words}); COMP_CWORD={len(typed)}; _cinder_scene
for reply in "${{COMPREPLY[@]}}"; do echo "$reply"; done"""
    result = subprocess.run(
        ["bash", "-c", script + asked], capture_output=True, text=True, check=True
    )
    assert (result.stdout.split("\n")[:-1], result.stderr) == (expected, "")
    assert "complete -o bashdefault -o default -F" in script


def test_progress_is_shown_only_to_somebody_who_watches(files, capsys, monkeypatch):
    files(a=LEVEL)
    monkeypatch.setattr(documents, "LONG_WORK", 1)
    assert main(["stats", "a.scene"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for command in (["convert", "a.scene", "b.cscn"], ["check", "a.scene"]):
        assert main(command) == 0
        assert re.fullmatch(
            r"reading a.scene ...(\rreading a.scene ... +\d+ %)+\rreading a.scene ... \d+\.\d s\n",
            capsys.readouterr().err,
        )


def test_every_help_says_what_the_exit_status_means(capsys):
    for argv in ([], *([name] for name in COMMANDS)):
        with pytest.raises(SystemExit):
            main([*argv, "--help"])
        assert "status" in capsys.readouterr().out.lower(), argv


def test_convert_keeps_the_vectors(shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = json.loads((shared / "vectors/formats.json").read_text())["documents"]
    assert cases
    for case in cases:
        (tmp_path / "a.scene").write_bytes(case["text"].encode())
        assert main(["convert", "a.scene", "b.cscn"]) == 0
        assert (tmp_path / "b.cscn").read_bytes().hex() == case["binary_hex"]
        assert main(["convert", "b.cscn", "c.scene"]) == 0
        assert (tmp_path / "c.scene").read_bytes() == case["text"].encode()


def test_a_wrong_command_line_or_file(files, capsys):
    files()
    for argv in ([], ["unheard"], ["diff", "one"]):
        with pytest.raises(SystemExit) as raised:
            main(argv)
        assert raised.value.code == 2
    assert main(["stats", "missing.scene"]) == 2
    assert "missing.scene: there is no such file" in capsys.readouterr().err


def test_commands_are_sorted_and_load_neither_window_nor_gpu():
    assert list(COMMANDS) == sorted(COMMANDS)
    code = "import sys, engine.cli.scene; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    roots = {name.split(".")[0] for name in loaded.stdout.split()}
    assert not roots & {"PySide6", "wgpu", "pyqtgraph", "rendercanvas"}


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"])
def test_check_takes_names_that_no_file_can_have_for_missing(files, capsys, name):
    files(a=LEVEL.replace("acme.Tag", f'GltfInstance asset="{name}.glb"'))
    assert main(["check", "a.scene"]) == 1
    assert "is missing" in capsys.readouterr().out
