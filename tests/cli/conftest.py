from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import report_factory

from spikedoc.cli.entry import run
from spikedoc.errors import CatalogError, InputError
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.model.report import Report


class FakePipeline(ModuleType):
    """Stands in for spikedoc.pipeline: the name of a path says what comes of it."""

    def __init__(self) -> None:
        super().__init__("spikedoc.pipeline")
        self.calls: list[dict[str, Any]] = []

    def analyze_all(
        self,
        path: Path,
        *,
        mapping: dict[str, str] | None = None,
        rules: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
        with_charts: bool = False,
        budget: Budget = DEFAULT,
        observe: object = None,
    ) -> list[Report]:
        said = {"path": path, "mapping": mapping, "rules": rules, "with_charts": with_charts}
        self.calls.append(said if budget == DEFAULT else {**said, "budget": budget})
        if progress is not None:
            progress(1, 2)
        word = Path(path).name
        if word == "unreadable":
            raise InputError(path, "holds no series", "give a folder with a log")
        if word == "bad-rule":
            raise CatalogError("SD1.toml", "prior", "is missing")
        if word == "crash":
            raise ZeroDivisionError("boom")
        if word == "interrupt":
            raise KeyboardInterrupt
        if word == "several":
            return [report_factory.healthy(), report_factory.failing()]
        if word == "warning":
            base = report_factory.failing()
            return [replace(base, findings=base.findings[1:])]
        return [getattr(report_factory, word)()]


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> FakePipeline:
    fake = FakePipeline()
    monkeypatch.setitem(sys.modules, "spikedoc.pipeline", fake)
    return fake


@pytest.fixture
def call(
    pipeline: FakePipeline, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run one command line on the fake pipeline; return exit code, standard output and error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Let new processes take Ctrl-C: in the background of a script it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
