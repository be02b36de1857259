"""What a test leaves behind is gone when the next one begins."""

import threading

from engine.assets.jobs import JobSystem

left: list[threading.Thread] = []


def test_a_test_may_leave_workers():
    left.extend(JobSystem(2)._threads)
    assert all(thread.is_alive() for thread in left)


def test_the_next_one_does_not_meet_them():
    for thread in left:
        thread.join()
