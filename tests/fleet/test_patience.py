from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

import pytest

from spikedoc.fleet.patience import EXIT_OUT_OF_TIME, OutOfTimeError, within


def spin() -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(Exception):  # as a library may do
            sum(range(1000))


def test_what_is_quick_returns() -> None:
    assert within(60.0, lambda: 7) == 7
    assert within(None, lambda: 8) == 8


def test_a_limit_longer_than_a_clock_can_hold(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        time.sleep(0.2)
        return 9

    assert within(1e15, work, may_exit=True) == 9
    assert capfd.readouterr().err == "", "the thread of the clock did not fail"


def test_what_is_slow_is_interrupted_even_where_exceptions_are_swallowed() -> None:
    with pytest.raises(OutOfTimeError):
        within(0.1, spin)


def test_an_error_of_the_work_passes() -> None:
    with pytest.raises(ZeroDivisionError):
        within(60.0, lambda: 1 // 0)


def test_it_works_in_another_thread() -> None:
    seen: list[BaseException] = []

    def work() -> None:
        try:
            within(0.1, spin)
        except OutOfTimeError as error:
            seen.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(seen) == 1


def test_nothing_comes_late() -> None:
    """The interrupt of work that ended in the same moment does not hit what follows it."""
    for _ in range(200):
        try:
            within(0.001, lambda: time.sleep(0.001))
        except OutOfTimeError:
            continue
    time.sleep(0.05)


def test_a_process_that_does_not_hear_is_ended() -> None:
    code = (
        "import time; from spikedoc.fleet import patience as p; p.LEAST_GRACE_SECONDS = 0.2\n"
        "p.within(0.1, lambda: time.sleep(60), may_exit=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=50)
    assert done.returncode == EXIT_OUT_OF_TIME
