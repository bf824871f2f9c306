from __future__ import annotations

from collections import Counter
from pathlib import Path

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import Found
from spikedoc.ingest.failures import FAILURES_TOLD, nothing_in, told_failures
from tests.notes import english


def failures(count: int) -> list[InputError]:
    return [InputError(f"runs/{i}.csv", "torn") for i in range(count)]


def test_the_first_of_many_failures_are_told() -> None:
    assert english(told_failures(failures(1))) == ("0.csv: torn; left out",)
    told = english(told_failures(failures(FAILURES_TOLD + 3)))
    assert len(told) == FAILURES_TOLD + 1
    assert told[-1] == f"{FAILURES_TOLD + 3} files in all could not be read"


def test_why_there_is_no_run(tmp_path: Path) -> None:
    assert "an empty folder" in str(nothing_in(tmp_path, Found()))
    (one,) = failures(1)
    assert nothing_in(tmp_path, Found(failures=[one])) is one
    assert "none of 2 logs can be read; 0.csv: torn" in str(
        nothing_in(tmp_path, Found(failures=failures(2)))
    )
    seen = Found(seen=Counter({".png": 3}))
    assert "files seen: 3 .png" in str(nothing_in(tmp_path, seen))
    file = tmp_path / "a.csv"
    file.touch()
    assert "no series of numbers in it" in str(nothing_in(file, seen))
