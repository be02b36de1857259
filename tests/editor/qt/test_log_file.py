"""The log file, whatever it is told."""

import logging

import pytest

from editor.main_window.reports import log_folder, start_log_file


@pytest.fixture
def log():
    root, level = logging.getLogger(), logging.getLogger().level
    handler = start_log_file()
    yield logging.getLogger("cinder.tests")
    root.removeHandler(handler)
    root.setLevel(level)
    handler.close()


def test_names_that_utf8_has_no_bytes_for_are_logged(log, capsys):
    log.warning("%s: there is no such file", "bad\udcff.scene")
    assert "bad\\udcff.scene: there" in (log_folder() / "editor.log").read_text("utf-8")
    assert capsys.readouterr().err == ""


def test_a_log_that_can_not_be_written_is_left_out(log, capsys):
    (log_folder() / "editor.log").mkdir()
    log.warning("lost")
    assert capsys.readouterr().err == ""
