"""Patterns in place of paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.ingest.patterns import fixed_part, matched


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        rows = "".join(f"{i},{(i * 7 + ord(name)) % 11}.5\n" for i in range(20))
        (folder / "metrics.csv").write_text("step,loss\n" + rows)
        (folder / "notes.txt").write_text("nothing\n")
    return tmp_path / "runs"


def test_files_of_several_runs(runs: Path) -> None:
    assert [run.name for run in load_runs(runs / "*" / "metrics.csv")] == ["a", "b", "c"]
    assert [run.name for run in load_runs(str(runs / "[ab]" / "*.csv"))] == ["a", "b"]


def test_folders(runs: Path) -> None:
    found = load_runs(runs / "[bc]*")
    assert [run.name for run in found] == ["b", "c"]
    assert found[0].path == str(runs / "b")


def test_any_depth(runs: Path) -> None:
    assert len(load_runs(runs.parent / "**" / "*.csv")) == 3


def test_one_match(runs: Path) -> None:
    (run,) = load_runs(runs / "a" / "m*.csv")
    assert run.name == "a"


def test_a_name_with_brackets_that_exists_is_no_pattern(tmp_path: Path) -> None:
    path = tmp_path / "run[1].csv"
    path.write_text("step,loss\n1,0.5\n2,0.25\n")
    assert matched(path) is None
    assert load_runs(path)[0].name == "run[1].csv"


def test_nothing_matches(runs: Path) -> None:
    with pytest.raises(InputError, match="nothing matches"):
        load_runs(runs / "*.json")
    with pytest.raises(InputError, match=r"no training log|not a training log|nothing"):
        load_runs(runs / "*" / "notes.txt")


def test_the_part_before_the_pattern() -> None:
    assert fixed_part(Path("/x/y/*/z")) == Path("/x/y")
    assert fixed_part(Path("*.csv")) == Path()
    assert matched(Path("/x/y")) is None
