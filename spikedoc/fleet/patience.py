"""A limit to the time of a piece of work, in whatever thread of a worker it is done."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Final, TypeVar

Result = TypeVar("Result")

# Work that hangs inside a system call or a library does not hear of it; its process is ended when
# so much more time has gone by.
LEAST_GRACE_SECONDS: Final = 5.0
# As sysexits.h has it for a failure that may pass.
EXIT_OUT_OF_TIME: Final = 75


class OutOfTimeError(BaseException):
    """Raised inside the work; no `except Exception` on its way may take it for a bad log."""


def within(seconds: float | None, work: Callable[[], Result], *, may_exit: bool = False) -> Result:
    """Return what `work` returns; raises OutOfTimeError in it after so many seconds.

    With `may_exit` the process ends when even that is not heard.
    """
    if seconds is None:
        return work()
    watch = _Watch(threading.get_ident(), seconds, may_exit=may_exit)
    try:
        return work()
    finally:
        watch.close()


class _Watch:
    def __init__(self, thread: int, seconds: float, *, may_exit: bool) -> None:
        self._thread = ctypes.c_ulong(thread)
        self._lock = threading.Lock()
        self._is_over = self._has_raised = False
        self._timers = [_timer(seconds, self._interrupt)]
        if may_exit:
            grace = seconds + max(LEAST_GRACE_SECONDS, seconds)
            self._timers.append(_timer(grace, self._exit))

    def _interrupt(self) -> None:
        with self._lock:
            if not self._is_over:
                self._has_raised = True
                self._raise(ctypes.py_object(OutOfTimeError))

    def _exit(self) -> None:
        if not self._is_over:
            os._exit(EXIT_OUT_OF_TIME)

    def close(self) -> None:
        """Stop the clock; what was raised but not yet heard is taken back."""
        for timer in self._timers:
            timer.cancel()
        with self._lock:
            self._is_over = True
            # Only then: Python 3.11.7 under a line tracer (coverage, a debugger) hangs behind it.
            if self._has_raised:
                self._raise(None)

    def _raise(self, error: object) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, error)


def _timer(seconds: float, call: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), call)
    timer.daemon = True
    timer.start()
    return timer
