"""A project whose disk goes away while it is open, as that of a server does, and comes back."""

from tests.gui.desk import save_prop


def test_a_project_that_goes_and_comes_back(desk, window, level, answers, tmp_path_factory) -> None:
    document, root = desk.document, level.parent
    crate = desk.place(save_prop(root))
    document.save()
    before = level.read_bytes()
    away = tmp_path_factory.mktemp("away") / "project"
    root.rename(away)
    # As it does when the window comes to the front.
    window.project_watch.verify()
    desk.until(lambda: window.project_watch.mode == "waiting")
    document.rename(crate, "Chest")
    window.actions_by_id["save"].trigger()
    desk.until(lambda: bool(answers.errors))
    assert "the folder is gone" in answers.errors[0]
    assert not root.exists()
    assert document.dirty
    away.rename(root)
    desk.until(lambda: window.project_watch.mode == "events")
    assert level.read_bytes() == before
    save_prop(root, [{"name": "Body", "mesh": 0}])
    desk.until(lambda: desk.node(crate, "Body/Arm") is None)
    window.actions_by_id["save"].trigger()
    desk.until(lambda: not document.dirty)
    assert b'"Chest"' in level.read_bytes()


def test_work_on_a_disk_that_stays_away_is_saved_elsewhere(
    desk, window, level, answers, tmp_path_factory
) -> None:
    document, root = desk.document, level.parent
    crate = desk.place(save_prop(root))
    root.rename(tmp_path_factory.mktemp("away") / "project")
    # As it does when the window comes to the front.
    window.project_watch.verify()
    desk.until(lambda: window.project_watch.mode == "waiting")
    document.rename(crate, "Chest")
    answers.files = [tmp_path_factory.mktemp("home") / "rescued.scene"]
    window.actions_by_id["save_as"].trigger()
    desk.until(lambda: not document.dirty)
    assert b'"Chest"' in answers.files[0].read_bytes()
    assert document.path == answers.files[0]
    assert not root.exists()
    desk.until(lambda: window.project_watch.folder == str(answers.files[0].parent))
