"""What tests call gone is gone: a collection runs even when another thread is in one."""

import gc
import threading
import weakref

from tests.garbage import collect_garbage
from tests.patience import PATIENCE_S


class Ring:
    """Refers to itself, so that only the collector can let go of it."""

    def __init__(self, last_words=lambda: None):
        self.me, self.last_words = self, last_words

    def __del__(self):
        self.last_words()


def test_a_collection_that_another_thread_is_in_is_waited_for():
    gc.collect()
    in_midst, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        in_midst.set()
        may_go_on.wait(PATIENCE_S)

    def work() -> None:
        Ring(wait)
        gc.collect()

    other = threading.Thread(target=work)
    other.start()
    assert in_midst.wait(PATIENCE_S)
    ghost = weakref.ref(Ring())
    gc.collect()
    assert ghost() is not None, "a plain collection does nothing now"
    threading.Thread(target=lambda: may_go_on.set()).start()
    collect_garbage()
    other.join()
    assert ghost() is None
