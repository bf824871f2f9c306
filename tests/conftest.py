"""Fixtures and options of the whole suite."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

HANG_SECONDS = 60
HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

# Modules shared by tests (report_factory …) are imported by their bare names.
sys.path.insert(0, str(HERE))

# What the terminal says about itself must not change what the tests see.
TERMINAL_VARIABLES = (
    *("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"),
    *("SPIKEDOC_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write what is rendered to tests/golden"
    )


# No test measures time. The gate draws the same examples each time, so that what it says of a
# change is about the change; who works on the code draws new ones in every run.
settings.register_profile("new", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "new"))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in TERMINAL_VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def ends() -> Iterator[None]:
    """Stop a test that hangs: a pattern that backtracks runs for hours, not for a minute."""

    def stop(*_: object) -> None:
        raise AssertionError(f"still running after {HANG_SECONDS} s of processor time")

    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with tests/golden/<name>; with --update-golden write it instead."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
            return
        assert file.exists(), f"{os.fspath(file)} is missing: run pytest --update-golden"
        assert text == file.read_bytes().decode("utf-8")

    return compare
