"""Several runs in one call of `spikedoc analyze`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import fleets
import pytest

from spikedoc.cli.entry import run

Call = Callable[..., tuple[int, str, str]]
SAID = "Step 777 spikes in 3 of 8 runs"


@pytest.fixture
def analyze(capfd: pytest.CaptureFixture[str]) -> Call:
    def analyze(*arguments: object) -> tuple[int, str, str]:
        code = run(["analyze", *map(str, arguments), "--quiet"])
        out, err = capfd.readouterr()
        return code, out, err

    return analyze


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = fleets.bad_batch(tmp_path_factory.mktemp("runs"))
    return sorted((root / "p").iterdir())


def test_a_bad_batch_is_named_below_the_reports(analyze: Call, runs: list[Path]) -> None:
    code, out, _ = analyze(*runs, "--lang", "en", "--width", "200")
    assert code == 0
    reports, _, paragraph = out.partition("\n\nThe same place in several runs\n")
    assert reports
    assert paragraph.startswith(f"  • {SAID} (run0, run1, run2)")
    words = " ".join(paragraph.split())
    assert "with probability at most" in words
    assert "The seed is the same in all of them" in words
    assert "第 777 步在 8 次训练中的 3 次出现尖峰" in analyze(*runs, "--lang", "zh")[1]


def test_in_markdown(analyze: Call, runs: list[Path]) -> None:
    out = analyze(*runs, "--lang", "en", "--format", "markdown")[1]
    assert f"\n\n### The same place in several runs\n\n- {SAID}" in out
    assert out.endswith("\n")


def test_one_folder_is_as_good_as_its_runs(analyze: Call, runs: list[Path]) -> None:
    assert SAID in " ".join(analyze(runs[0].parent, "--lang", "en")[1].split())


def test_formats_for_programs_hold_reports_alone(analyze: Call, runs: list[Path]) -> None:
    out = analyze(*runs, "--format", "json")[1]
    assert len(json.loads(out)) == 8
    assert SAID not in out
    assert len(analyze(*runs, "--format", "jsonl")[1].splitlines()) == 8


def test_copies_and_single_runs_say_nothing(analyze: Call, runs: list[Path]) -> None:
    for paths in (runs[:1], [runs[0]] * 4, runs[3:]):
        assert "same place" not in analyze(*paths, "--lang", "en")[1]
