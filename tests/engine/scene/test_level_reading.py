"""Levels that workers read: what shows meanwhile, and that the newest content wins in the end."""

import os
import threading
from concurrent.futures import Future

import pytest

from engine.app import App
from engine.assets.watch import FileChanges
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene import (
    LocalTransform,
    Name,
    Placeholder,
    SceneInstance,
    children,
    level_reader,
    read_text,
    write_binary,
)
from engine.scene.instances import find_node
from engine.scene.level_library import LevelLibrary, file_below
from engine.scene.levels import level_registry
from tests.engine.scene.level_stage import SHELF


def named(*names):
    entities = (f'entity {at}\n  Name text="{name}"\n' for at, name in enumerate(names))
    return "cinder-scene 2\n" + "".join(entities)


def holding(*levels):
    placed = (f'entity {at}\n  SceneInstance level="{x}"\n' for at, x in enumerate(levels))
    return "cinder-scene 2\n" + "".join(placed)


class Workers:
    """Does work when a test says so."""

    def __init__(self):
        self.jobs = []

    def submit(self, path, work):
        job = Future()
        self.jobs.append((path, job, work))
        return job

    def run(self):
        """Do what was asked for so far."""
        jobs, self.jobs = self.jobs, []
        for _, job, work in jobs:
            job.set_result(work())
        return [path for path, _, _ in jobs]


@pytest.fixture
def workers():
    return Workers()


@pytest.fixture
def library(tmp_path, workers):
    return LevelLibrary(
        level_registry(), lambda level: file_below(tmp_path, level), submit=workers.submit
    )


def names_in(entry):
    return [part.values[0].text for part in entry.blueprint.parts]


def changed(path, text):
    path.write_text(text)
    return FileChanges((str(path.resolve()),))


# -- the library -----------------------------------------------------------------------------


def test_a_level_is_there_once_it_was_read_and_taken_in(library, workers, tmp_path):
    (tmp_path / "shelf.scene").write_text(named("Book"))
    entry = library.get("shelf.scene")
    assert (entry.state, entry.blueprint) == ("loading", None)
    assert library.is_reading
    assert library.poll() == []
    workers.run()
    assert entry.state == "loading"
    assert library.poll() == [entry]
    assert (entry.state, names_in(entry)) == ("ready", ["Book"])
    assert not library.is_reading


def test_who_cannot_go_on_without_a_level_gets_its_newest_file(tmp_path):
    started = threading.Event()

    def submit(path, work):
        job = Future()

        def run():
            started.wait()
            job.set_result(work())

        threading.Thread(target=run).start()
        return job

    resolve = lambda level: file_below(tmp_path, level)
    library = LevelLibrary(level_registry(), resolve, submit=submit)
    (tmp_path / "shelf.scene").write_text(named("Book"))
    entry = library.get("shelf.scene")
    library.files_changed(changed(tmp_path / "shelf.scene", named("Vase")))
    started.set()
    assert library.read("shelf.scene") is entry
    assert names_in(entry) == ["Vase"]


def test_the_newest_content_wins_when_readings_overlap(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("first"))
    entry = library.get("shelf.scene")
    workers.run()
    library.poll()
    library.files_changed(changed(path, named("second")))
    workers.run()
    # Read, and not taken in yet; nobody looks at this version any more.
    library.files_changed(changed(path, named("third")))
    library.files_changed(changed(path, named("fourth")))
    library.poll()
    while workers.run():
        library.poll()
    assert names_in(entry) == ["fourth"]
    assert not library.is_reading


def test_a_half_written_version_in_between_is_not_told_of(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("whole"))
    entry = library.get("shelf.scene")
    workers.run()
    library.poll()
    library.files_changed(changed(path, "cinder-scene 2\nentity"))
    workers.run()
    library.files_changed(changed(path, named("whole again")))
    assert library.poll() == []
    workers.run()
    assert library.poll() == [entry]
    assert (entry.error, names_in(entry)) == ("", ["whole again"])


def test_a_broken_version_leaves_the_last_good_one_until_it_is_mended(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("good"))
    entry = library.get("shelf.scene")
    workers.run()
    library.poll()
    library.files_changed(changed(path, named("good") + "entity x\n"))
    workers.run()
    assert library.poll() == [entry]
    assert (entry.state, names_in(entry)) == ("ready", ["good"])
    assert entry.error.startswith("shelf.scene: line 4: ")
    library.files_changed(changed(path, named("good")))
    workers.run()
    assert library.poll() == [entry]
    assert entry.error == ""
    assert entry.version == 1


def test_newer_versions_wait_while_they_are_held(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("first"))
    entry = library.get("shelf.scene")
    workers.run()
    library.poll()
    library.holds_reloads = True
    library.files_changed(changed(path, named("second")))
    (tmp_path / "new.scene").write_text(named("new"))
    new = library.get("new.scene")
    workers.run()
    assert library.poll() == [new]
    assert names_in(entry) == ["first"]
    assert not library.is_reading
    library.holds_reloads = False
    assert library.is_reading
    assert library.poll() == [entry]
    assert names_in(entry) == ["second"]


def test_what_was_dropped_unread_is_read_when_it_is_asked_for_again(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("Book"))
    entry = library.get("shelf.scene")
    [(_, job, _)] = workers.jobs
    job.cancel()
    workers.jobs.clear()
    assert library.poll() == []
    assert library.check_for_changes() == [entry]
    workers.run()
    library.poll()
    assert names_in(entry) == ["Book"]


def test_a_level_that_moved_while_it_was_looked_for_is_found(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    path.write_text(named("Book"))
    entry = library.get("shelf.scene")
    os.rename(path, tmp_path / "rack.scene")
    workers.run()
    library.follow({"shelf.scene": "rack.scene"})
    library.poll()
    workers.run()
    assert library.poll() == [entry]
    assert library.get("rack.scene") is entry
    assert (entry.state, entry.error) == ("ready", "")


def test_a_level_comes_with_all_that_it_places_so_that_its_extent_is_known(
    library, workers, tmp_path
):
    for at in range(30):
        (tmp_path / f"twice{at}.scene").write_text(holding(*[f"twice{at + 1}.scene"] * 2))
    (tmp_path / "twice30.scene").write_text(holding())
    for at in range(0, 30, 3):
        library.get(f"twice{at}.scene")
    path, job, work = workers.jobs.pop(0)
    job.set_result(work())
    assert path == "twice0.scene"
    assert {entry.path for entry in library.poll()} == {f"twice{at}.scene" for at in range(31)}
    assert library.extent("twice0.scene").levels == 2**31 - 1
    assert "2,147,483,647 levels" in library.find_excess("twice0.scene")


def test_a_level_that_changes_before_anybody_knows_of_it_is_read_once_more(
    library, workers, tmp_path
):
    (tmp_path / "room.scene").write_text(holding("shelf.scene"))
    (tmp_path / "shelf.scene").write_text(named("Book"))
    library.get("room.scene")
    workers.run()
    library.files_changed(changed(tmp_path / "shelf.scene", named("Book", "Vase")))
    library.poll()
    assert workers.run() == ["shelf.scene"]
    library.poll()
    assert names_in(library.get("shelf.scene")) == ["Book", "Vase"]
    assert not library.is_reading


def test_a_level_that_is_too_large_for_the_memory_fails_alone(
    library, workers, tmp_path, monkeypatch
):
    (tmp_path / "room.scene").write_text(holding("shelf.scene"))
    (tmp_path / "shelf.scene").write_text(named("Book"))

    def read(data):
        if b"Book" in data:
            raise MemoryError
        return read_text(data)

    monkeypatch.setattr(level_reader, "read_text", read)
    library.get("room.scene")
    workers.run()
    library.poll()
    states = {entry.path: (entry.state, entry.error) for entry in library.entries()}
    too_large = "shelf.scene: too large for the memory"
    assert states == {"room.scene": ("ready", ""), "shelf.scene": ("failed", too_large)}


@pytest.mark.parametrize("suffix", ["scene", "cscn"])
def test_a_loop_is_found_before_a_level_is_read(library, workers, tmp_path, suffix):
    (tmp_path / "a.scene").write_text(holding("b.scene"))
    (tmp_path / "b.scene").write_text(holding("a.scene"))
    levels, empty = ["a.scene", "b.scene"], holding().encode()
    if suffix == "cscn":
        empty = write_binary(read_text(empty))
        for name in levels:
            doc = read_text((tmp_path / name).read_text().replace(".scene", ".cscn"))
            (tmp_path / name).with_suffix(".cscn").write_bytes(write_binary(doc))
    names = [name.replace("scene", suffix) for name in levels]
    chain = f"a.{suffix} -> b.{suffix} -> a.{suffix}"
    assert library.find_loop([names[0]]).endswith(chain)
    library.get(names[0])
    assert library.find_loop([names[0]]).endswith(chain)
    assert library.find_loop([names[1]], around=[names[0]])
    # What is on its way is what counts, not what is shown still.
    workers.run()
    library.poll()
    (tmp_path / names[0]).write_bytes(empty)
    library.files_changed(FileChanges((str((tmp_path / names[0]).resolve()),)))
    assert library.find_loop([names[0]]) == ""


def test_an_error_names_the_level_and_keeps_what_the_file_says(library, workers, tmp_path):
    path = tmp_path / "shelf.scene"
    own = path.resolve()
    path.write_text(f"cinder-scene 2\nentity 0\n  {own} a=1\n  {own} a=1\n")
    entry = library.get("shelf.scene")
    workers.run()
    library.poll()
    assert entry.state == "failed"
    assert entry.error.startswith("shelf.scene: line 4: ")
    assert f"component {own} twice" in entry.error


# -- the app ---------------------------------------------------------------------------------


class Gate:
    """Lets no worker draw a level before it is opened, and knows who drew."""

    def __init__(self, monkeypatch):
        self.opened = threading.Event()
        self.threads = []
        draw = level_reader.draw_level

        def drawn(*arguments):
            self.threads.append(threading.current_thread())
            if threading.current_thread() is not threading.main_thread():
                self.opened.wait()
            return draw(*arguments)

        monkeypatch.setattr(level_reader, "draw_level", drawn)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.opened.set()


@pytest.fixture
def app(tmp_path, gate):
    (tmp_path / "project.json").write_text("{}")
    (tmp_path / "shelf.scene").write_text(named("Book"))
    app = App(tmp_path)
    yield app
    gate.opened.set()
    app.close()


def place(app, level="shelf.scene"):
    return app.world.spawn(Name("shelf"), LocalTransform(), SceneInstance(level=level))


def shown(app, root: Entity):
    return [app.world.get(e, Name).text for e in children(app.world, root)]


def test_frames_go_on_while_a_worker_reads_a_level(app, gate):
    root = place(app)
    for _ in range(3):
        app.frame(0.0)
        assert app.is_loading
    assert app.world.has(children(app.world, root)[0], Placeholder)
    assert app.realiser.is_pending(root)
    gate.opened.set()
    app.settle()
    assert shown(app, root) == ["Book"]
    assert not app.is_loading
    assert threading.main_thread() not in gate.threads


def test_a_reload_shows_what_was_there_until_it_is_read(app, gate):
    root = place(app)
    gate.opened.set()
    app.settle()
    gate.opened.clear()
    book = find_node(app.world, root, "Book")
    path = app.root / "shelf.scene"
    assert app.files_changed(changed(path, named("Book", "Vase"))) == 1
    for _ in range(3):
        app.frame(0.0)
        assert shown(app, root) == ["Book"]
        assert app.is_loading
    gate.opened.set()
    app.settle()
    assert shown(app, root) == ["Book", "Vase"]
    assert find_node(app.world, root, "Book") == book
    assert threading.main_thread() not in gate.threads


@pytest.mark.parametrize("end", ["despawn", "file", "new", "load", "mount", "close"])
def test_what_goes_while_it_is_read_is_no_error(app, gate, end, tmp_path_factory):
    root = place(app)
    app.frame(0.0)
    other = tmp_path_factory.mktemp("other")
    (other / "project.json").write_text("{}")
    (other / "yard.scene").write_text(named("Yard"))
    ends = {
        "despawn": lambda: app.world.despawn(root),
        "file": lambda: os.remove(app.root / "shelf.scene"),
        "new": app.new,
        "load": lambda: app.load(other / "yard.scene"),
        "mount": lambda: app.mount_assets(other),
        "close": app.close,
    }
    ends[end]()
    gate.opened.set()
    if end != "close":
        app.settle()
        app.frame(0.0)
        assert not app.is_loading


def test_opening_a_level_reads_what_it_places_beside_and_refuses_loops_at_once(app, gate):
    (app.root / "house.scene").write_text(holding("shelf.scene"))
    app.load(app.root / "house.scene")
    app.frame(0.0)
    assert app.is_loading
    (app.root / "loop.scene").write_text(SHELF + 'entity 6\n  SceneInstance level="loop.scene"\n')
    with pytest.raises(SceneError, match=r"loop\.scene -> loop\.scene"):
        app.load(app.root / "loop.scene")
    assert gate.threads == [] or threading.main_thread() not in gate.threads


def test_levels_that_multiply_are_refused_however_their_files_come_in(app, gate):
    for at in range(30):
        (app.root / f"twice{at}.scene").write_text(holding(*[f"twice{at + 1}.scene"] * 2))
    (app.root / "twice30.scene").write_text(holding())
    roots = [place(app, f"twice{at}.scene") for at in range(0, 20, 4)]
    app.frame(0.0)
    gate.opened.set()
    app.settle()
    assert all("levels inside each other" in app.realiser.issues[root] for root in roots[:4])
    assert len(app.world) < 10_000
