"""The collector rests while anybody needs it to, and not longer."""

import gc
import threading

import pytest

from engine.collector import paused_collector
from tests.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def enabled():
    was_on = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_on else gc.disable)()


def test_it_rests_until_the_last_thread_is_done():
    begun, may_end = threading.Event(), threading.Event()

    def work():
        with paused_collector():
            begun.set()
            may_end.wait(PATIENCE_S)

    thread = threading.Thread(target=work)
    with paused_collector():
        thread.start()
        assert begun.wait(PATIENCE_S)
    assert not gc.isenabled()
    may_end.set()
    thread.join()
    assert gc.isenabled()


def test_it_goes_on_after_a_failure_and_stays_off_where_it_was():
    with pytest.raises(ZeroDivisionError), paused_collector(), paused_collector():
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    with paused_collector():
        assert not gc.isenabled()
    assert not gc.isenabled()
