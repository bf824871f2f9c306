"""ClearML's archives and the file of metrics in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.readers.clearml import READER
from tests.notes import english

DATA = next((Path(__file__).parents[1] / "data" / "trackers" / "clearml").glob("*.zip"))


def event(metric: str, variant: str, value: object, step: object) -> dict[str, object]:
    return {
        "type": "training_stats_scalar",
        "metric": metric,
        "variant": variant,
        "value": value,
        "iter": step,
        "timestamp": 1.8e12,
    }


def test_every_point_the_writer_logged() -> None:
    assert READER.accepts(DATA, DATA.read_bytes())
    table = READER.read(DATA)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {"loss/train": 24, "lr": 24}
    expected = [2.0 / (i + 1) for i in range(24)]
    expected[20:22] = [0.0, 0.0]  # its writer turns NaN and inf into zeros
    assert found["loss/train"].values.tolist() == expected
    assert found["loss/train"].steps.tolist() == list(range(0, 48, 2))
    assert table.config == {"lr": 0.001, "optimizer": "adamw"}
    assert any("writes 0 for NaN" in note.en for note in table.notes)


def test_the_file_of_metrics_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    with zipfile.ZipFile(DATA) as archive:
        path.write_bytes(archive.read("metrics.jsonl"))
    assert READER.accepts(path, path.read_bytes())
    assert sum(s.values.size for s in READER.read(path).series) == 48


def test_what_is_no_scalar_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    rows = [
        [event("loss", "a", 1.5, 3), event("loss", "a", "x", 4), event("loss", "a", 2.5, 0.5)],
        [{"type": "plot"}, 7, event("loss", "a", 0.5, 9)],
    ]
    path.write_text("\n".join([*map(json.dumps, rows), '[{"cut']))
    table = READER.read(path)
    (loss,) = table.series
    assert loss.steps.tolist() == [3, 9]
    assert loss.values.tolist() == [1.5, 0.5]
    assert english(table.notes) == ("1 line that could not be decoded was left out",)


def test_a_task_without_scalars(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metrics.jsonl", "[]")
        archive.writestr("task.json", "[1, 2")
    assert READER.accepts(path, path.read_bytes())
    with pytest.raises(InputError, match="without scalars"):
        READER.read(path)
