"""Logs that are too long for the memory: fewer points, the true ones, and a note."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.readers import _csv_large, csv, jsonl, tensorboard
from spikedoc.readers._memory import BYTES_PER_POINT
from spikedoc.readers.base import BoundedReader, RawSeries, Table
from tests.notes import english

sys.path.insert(0, str(Path(__file__).parent))

import event_files

N = 30_000
ROOM = 9_000  # points
SPIKE, HOLE, BACK = 12_345, 20_001, 25_001


def log() -> tuple[np.ndarray, np.ndarray]:
    """Steps that go back once, and a loss with a spike and a NaN."""
    steps = np.arange(N)
    steps[BACK:] -= 500
    loss = np.random.default_rng(3).normal(2.0, 0.1, N).round(4)
    loss[[SPIKE, HOLE]] = 77.0, math.nan
    return steps, loss


def write_jsonl(path: Path) -> None:
    rows = (json.dumps({"step": int(s), "loss": v}) for s, v in zip(*log(), strict=True))
    path.write_text("\n".join(rows))


def write_odd_jsonl(path: Path) -> None:
    """Not two rows alike, so that each is taken by itself."""
    rows = [{"step": int(s), "loss": v} for s, v in zip(*log(), strict=True)]
    path.write_text(
        "\n".join(json.dumps(r | ({"x": 1} if i % 2 else {})) for i, r in enumerate(rows))
    )


def write_csv(path: Path) -> None:
    rows = "".join(f"{s},{v}\n" for s, v in zip(*log(), strict=True))
    path.write_text(f"step,loss\n{rows}")


def write_events(path: Path) -> None:
    value = event_files.value
    with path.open("wb") as file:
        for step, loss in zip(*log(), strict=True):
            file.write(event_files.event(int(step), 1.7e9, [value("loss", loss, "simple")]))


FORMATS: dict[str, tuple[Callable[[Path], None], BoundedReader]] = {
    "log.jsonl": (write_jsonl, jsonl.JsonlReader()),
    "odd.jsonl": (write_odd_jsonl, jsonl.JsonlReader()),
    "log.csv": (write_csv, csv.CsvReader()),
    "events.out.tfevents.1": (write_events, tensorboard.TensorboardReader()),
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done to gigabytes is done to these."""
    monkeypatch.setattr(csv, "LARGE_FILE_BYTES", 1_000)
    monkeypatch.setattr(_csv_large, "ROWS_AT_A_TIME", 1_000)
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 20_000)
    monkeypatch.setattr(jsonl, "LARGE_BLOCK_BYTES", 20_000)


def loss_of(table: Table) -> RawSeries:
    return next(one for one in table.series if one.tag == "loss")


def pairs(steps: np.ndarray, values: np.ndarray) -> set[tuple[int, str]]:
    """As text, so that NaN equals itself; event files hold single precision."""
    return {(int(s), str(np.float32(v))) for s, v in zip(steps, values, strict=True)}


@pytest.mark.parametrize("name", FORMATS)
def test_fewer_points_are_true_and_tell_what_happened(name: str, tmp_path: Path) -> None:
    write, reader = FORMATS[name]
    write(tmp_path / name)
    steps, values = log()
    table = reader.read_within(tmp_path / name, ROOM * BYTES_PER_POINT)
    loss = loss_of(table)
    assert 500 < loss.steps.size <= ROOM
    truth = {(s, str(np.float32(v))) for s, v in zip(steps.tolist(), values, strict=True)}
    assert {
        (s, str(np.float32(v))) for s, v in zip(loss.steps.tolist(), loss.values, strict=True)
    } <= truth
    assert np.nanmax(loss.values) == 77.0
    assert np.isnan(loss.values).sum() == 1
    assert (loss.steps[0], loss.steps[-1]) == (steps[0], steps[-1])
    assert np.sum(np.diff(loss.steps) < 0) == 1
    assert loss.order is not None
    assert np.all(np.diff(loss.order) > 0)
    assert any("--max-memory" in note for note in english(table.notes))


@pytest.mark.parametrize("name", FORMATS)
def test_what_fits_is_read_whole(name: str, tmp_path: Path) -> None:
    write, reader = FORMATS[name]
    write(tmp_path / name)
    table = reader.read_within(tmp_path / name, DEFAULT.memory)
    assert loss_of(table).steps.size == N
    assert not any("--max-memory" in note for note in english(table.notes))


@pytest.mark.parametrize("name", ["log.jsonl", "log.csv"])
def test_row_numbers_stay_those_of_the_file(name: str, tmp_path: Path) -> None:
    values = log()[1]
    rows = {"log.jsonl": '{{"loss": {}, "lr": 1}}\n', "log.csv": "{},1\n"}[name]
    text = "".join(rows.format(json.dumps(v)) for v in values)
    (tmp_path / name).write_text(text if name == "log.jsonl" else f"loss,lr\n{text}")
    loss = loss_of(FORMATS[name][1].read_within(tmp_path / name, ROOM * BYTES_PER_POINT))
    assert loss.steps[loss.values == 77.0].tolist() == [SPIKE]
    assert loss.steps[-1] == N - 1


def test_many_tags_end_at_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spikedoc.readers import _event_points

    monkeypatch.setattr(_event_points, "MOST_TAGS", 10)
    path = tmp_path / "events.out.tfevents.1"
    value = event_files.value
    path.write_bytes(
        b"".join(event_files.event(1, 1.7e9, [value(f"t{i}", 1.0, "simple")]) for i in range(30))
    )
    table = tensorboard.TensorboardReader().read(path)
    assert len(table.series) == 10
    assert "more tags or points than are kept: 20 points were left out" in english(table.notes)


def test_one_array_that_may_take_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text("[" + ",".join('{"step": 1, "loss": 2.0}' for _ in range(5_000)) + "]")
    with pytest.raises(InputError, match="give it more with --max-memory"):
        load_runs(path, budget=Budget(memory=1_000_000))
    assert load_runs(path)
