"""`cinder-scene merge` as git's merge driver, in a real repository with real branches."""

import os
import shutil
import subprocess
import sys

import pytest

from engine.scene.document import read_text

LEVEL = """cinder-scene 2
entity 0
  Name text="crate"
  Place p=[1,2,3]
  Colour rgb=[1,1,1]
"""
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = str(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))
    identity = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    for name, value in {**identity, "PYTHONPATH": root, "GIT_CONFIG_GLOBAL": os.devnull}.items():
        monkeypatch.setenv(name, value)

    def git(*arguments, ok=True):
        result = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
        assert not ok or result.returncode == 0, result.stderr
        return result

    git("init", "-q", "-b", "main")
    git(
        "config", "merge.cinder.driver", f'"{sys.executable}" -m engine.cli.scene merge %O %A %B %A'
    )
    (tmp_path / ".gitattributes").write_text("*.scene merge=cinder\n")
    (tmp_path / "yard.scene").write_text(LEVEL)
    git("add", ".")
    git("commit", "-qm", "base")
    return git


def commit(git, branch, text):
    git("checkout", "-q", branch) if branch == "main" else git("checkout", "-qb", branch, "main")
    with open("yard.scene", "w") as file:
        file.write(text)
    git("commit", "-qam", branch)


LAMP = 'entity 1\n  Name text="lamp"\n'
DOOR = 'entity 1\n  Name text="door"\n'


def test_independent_changes_of_one_line_and_two_added_entities(repository):
    commit(
        repository,
        "theirs",
        LEVEL.replace("p=[1,2,3]", "p=[5,2,3]") + 'entity 1\n  Name text="lamp"\n',
    )
    commit(
        repository,
        "main",
        LEVEL.replace("rgb=[1,1,1]", "rgb=[1,0,0]") + 'entity 1\n  Name text="door"\n',
    )
    repository("merge", "-q", "theirs")
    with open("yard.scene") as file:
        text = file.read()
    doc = read_text(text)
    assert "p=[5.0,2.0,3.0]" in text
    assert "rgb=[1,0,0]" in text
    assert [e.get("Name").get("text").value for e in doc.entities] == ["crate", "door", "lamp"]


def test_a_conflict_stops_the_merge_with_a_file_that_loads(repository):
    commit(repository, "theirs", LEVEL.replace("p=[1,2,3]", "p=[5,2,3]"))
    ours = LEVEL.replace("p=[1,2,3]", "p=[7,2,3]")
    commit(repository, "main", ours)
    result = repository("merge", "theirs", ok=False)
    assert result.returncode == 1
    assert "CONFLICT" in result.stdout
    with open("yard.scene") as file:
        assert file.read() == ours
    assert repository("status", "--porcelain").stdout.startswith("UU yard.scene")


def test_a_level_that_both_branches_added(repository):
    for branch, name in (("theirs", "lamp"), ("main", "door")):
        repository("checkout", "-q", "main")
        if branch != "main":
            repository("checkout", "-qb", branch)
        with open("new.scene", "w") as file:
            file.write(f'cinder-scene 2\nentity 0\n  Name text="{name}"\n')
        repository("add", "new.scene")
        repository("commit", "-qm", branch)
    repository("merge", "-q", "theirs")
    with open("new.scene") as file:
        names = [e.get("Name").get("text").value for e in read_text(file.read()).entities]
    assert names == ["door", "lamp"]
