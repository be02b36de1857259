"""The job system: everything submitted runs once, the table is bounded, waiting helps."""

import threading

import pytest

from engine.assets.jobs import JobCounter, JobSystem
from tests.patience import PATIENCE_S


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_waiting_returns_when_every_job_of_the_counter_ran(workers):
    with JobSystem(workers) as jobs:
        done, counter = [], JobCounter()
        for k in range(50):
            assert jobs.submit(lambda k=k: done.append(k), counter)
        jobs.wait(counter)
        assert sorted(done) == list(range(50))
        assert counter.pending == 0


def test_a_full_table_refuses_and_has_room_again():
    with JobSystem(0, job_capacity=2) as jobs:
        counter = JobCounter()
        assert jobs.submit(lambda: None, counter)
        assert jobs.submit(lambda: None, counter)
        assert not jobs.submit(lambda: None, counter)
        jobs.wait(counter)
        assert jobs.submit(lambda: None, counter)


def test_a_running_job_counts_against_the_table():
    begun, go = threading.Event(), threading.Event()

    def job():
        begun.set()
        go.wait()

    with JobSystem(1, job_capacity=1) as jobs:
        counter = JobCounter()
        assert jobs.submit(job, counter)
        begun.wait()
        assert not jobs.submit(job, counter)
        go.set()
        jobs.wait(counter)


def test_a_job_may_wait_for_jobs():
    with JobSystem(1) as jobs:
        inner, outer, done = JobCounter(), JobCounter(), []

        def job():
            jobs.submit(lambda: done.append(1), inner)
            jobs.wait(inner)
            done.append(2)

        jobs.submit(job, outer)
        jobs.wait(outer)
        assert done == [1, 2]


def test_what_a_job_lets_through_reaches_whoever_waits():
    def job():
        raise KeyError("x")

    with JobSystem(1) as jobs:
        counter = JobCounter()
        jobs.submit(job, counter)
        with pytest.raises(KeyError):
            jobs.wait(counter)
        jobs.wait(counter)


def test_closing_finishes_what_is_queued_and_takes_no_more():
    for workers in (0, 2):
        done = []
        jobs = JobSystem(workers)
        for k in range(10):
            jobs.submit(lambda k=k, done=done: done.append(k))
        jobs.close()
        assert sorted(done) == list(range(10))
        assert not jobs.submit(lambda: None)


def test_numbers_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="expected 0 or more"):
        JobSystem(-1)


def test_closing_without_waiting_drops_what_is_queued():
    jobs, counter, begun = JobSystem(1), JobCounter(), threading.Event()
    may_end, done = threading.Event(), []

    def first():
        begun.set()
        may_end.wait()
        done.append(1)

    jobs.submit(first, counter)
    assert begun.wait(PATIENCE_S)
    jobs.submit(lambda: done.append(2), counter)
    jobs.close(wait=False)
    assert not jobs.submit(lambda: done.append(3), counter)
    may_end.set()
    jobs.wait(counter)
    assert done == [1]


def test_waiting_for_any_of_some_jobs_ends_with_the_first_and_for_all_with_the_last():
    gate = threading.Event()
    slow, quick = JobCounter(), JobCounter()
    with JobSystem(2) as jobs:
        jobs.submit(gate.wait, slow)
        assert not jobs.wait_any([slow], 0.01)
        jobs.submit(lambda: None, quick)
        assert jobs.wait_any([slow, quick])
        assert (slow.pending, quick.pending) == (1, 0)
        assert not jobs.wait_all([slow, quick], 0.01)
        gate.set()
        assert jobs.wait_any([slow])
        assert jobs.wait_all([slow, quick])
