import pytest

from editor.model.signal import Signal


def test_subscribers_are_called_in_their_order():
    signal, calls = Signal(), []
    signal.connect(lambda value: calls.append(("first", value)))
    signal.connect(lambda value: calls.append(("second", value)))
    signal.emit(3)
    assert calls == [("first", 3), ("second", 3)]


def test_a_closed_subscription_is_not_called_and_may_be_closed_again():
    signal, calls = Signal(), []
    subscription = signal.connect(calls.append)
    subscription.close()
    subscription.close()
    signal.emit(1)
    assert calls == []


def test_one_closed_during_the_emission_is_passed_over():
    signal, calls = Signal(), []
    signal.connect(lambda _: later.close())
    later = signal.connect(calls.append)
    signal.emit(1)
    assert calls == []


def test_an_error_reaches_the_emitter_after_all_were_called():
    signal, calls = Signal(), []

    def fail(_):
        raise RuntimeError("broken panel")

    signal.connect(fail)
    signal.connect(calls.append)
    with pytest.raises(RuntimeError, match="broken panel"):
        signal.emit(1)
    assert calls == [1]
