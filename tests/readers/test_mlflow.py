"""MLflow's file store: folders of runs, folders of metrics, files of metrics."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.base import FolderReader
from spikedoc.readers.mlflow import READER
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "trackers" / "mlflow" / "mlruns"
RUN = next(path.parent for path in DATA.glob("*/*/meta.yaml"))


def lines(path: Path, *rows: str, end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + end)
    return path


def test_every_point_the_writer_logged() -> None:
    table = READER.read(RUN)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {
        "lr": 24,
        "train/decode.loss_seg": 24,
        "train/loss": 24,
        "val_loss": 3,
    }
    expected = [2.0 / (i + 1) for i in range(24)]
    expected[12:15] = [math.nan, math.inf, -math.inf]
    np.testing.assert_array_equal(found["train/loss"].values, expected)
    assert found["train/loss"].steps.tolist() == list(range(0, 120, 5))
    assert found["val_loss"].steps.tolist() == [35, 75, 115]
    assert table.config == {"lr": 0.001, "betas": "(0.9, 0.95)", "model/depth": 12}
    assert table.name == "nested"
    assert table.notes == ()


def test_the_order_of_writing_holds_over_all_metrics() -> None:
    table = READER.read(RUN)
    placed = sorted(
        (int(place), float(wall))
        for s in table.series
        if s.order is not None and s.wall_times is not None
        for place, wall in zip(s.order, s.wall_times, strict=True)
    )
    assert [place for place, _ in placed] == list(range(75))
    assert [wall for _, wall in placed] == sorted(wall for _, wall in placed)


def test_the_folder_of_a_metric() -> None:
    assert isinstance(READER, FolderReader)
    assert READER.log_folder(RUN / "metrics" / "train" / "loss") == RUN
    assert READER.log_folder(Path("elsewhere") / "loss") is None


def test_metrics_alone_and_one_metric_alone(tmp_path: Path) -> None:
    assert len(READER.read(RUN / "metrics").series) == 4
    (one,) = READER.read(RUN / "metrics" / "train" / "loss").series
    assert one.tag == "train/loss"
    copy = tmp_path / "loss"
    copy.write_bytes((RUN / "metrics" / "train" / "loss").read_bytes())
    (one,) = READER.read(copy).series
    assert one.tag == "loss"
    assert READER.read(copy).config == {}


def test_lines_of_the_first_releases_have_no_step(tmp_path: Path) -> None:
    path = lines(tmp_path / "loss", "1548803615000 0.5", "1548803616000 0.25")
    assert READER.accepts(path, path.read_bytes())
    (one,) = READER.read(path).series
    assert one.steps.tolist() == [0, 1]
    assert one.values.tolist() == [0.5, 0.25]


def test_what_is_no_point_is_left_out_with_a_note(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "loss",
        "1795980350496 0.5 1",
        "1795980350497 text 2",
        "garbage",
        "1795980350498 0.25 99999999999999999999",
        "1795980350499 0.125 -4",
        "1795980350500 0.1 5",
        end="",
    )
    table = READER.read(path)
    (one,) = table.series
    assert one.steps.tolist() == [1, -4]
    assert one.values.tolist() == [0.5, 0.125]
    assert any("3 lines" in note.en for note in table.notes)
    assert any("cut short" in note.en for note in table.notes)


def test_an_end_of_line_in_the_wrong_place_shifts_no_column(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "loss",
        "1795980350496 0.5 1",
        "1795980350497 0.25",
        "2 1795980350498 0.125 3",
        "1795980350499 0.1 4",
    )
    (one,) = READER.read(path).series
    assert one.steps[[0, -1]].tolist() == [1, 4]
    assert one.values[[0, -1]].tolist() == [0.5, 0.1]
    assert 0.125 not in one.values


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    with pytest.raises(InputError, match="no metric"):
        READER.read(tmp_path)
    lines(tmp_path / "metrics" / "loss", "garbage")
    with pytest.raises(InputError, match="no metric"):
        READER.read(tmp_path)


def test_an_unreadable_or_endless_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.readers._metric_folder.MOST_METRICS", 3)
    for name in "abcde":
        lines(tmp_path / "metrics" / name, "1795980350496 0.5 1")
    (tmp_path / "metrics" / "a" / "..").resolve()
    (tmp_path / "metrics" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "metrics" / "gone").symlink_to(tmp_path / "nothing")
    table = READER.read(tmp_path)
    assert len(table.series) == 3
    assert any("more than 3 quantities" in note.en for note in table.notes)


def test_a_metric_that_vanishes_between_listing_and_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = lines(tmp_path / "metrics" / "kept", "1795980350496 0.5 1")
    gone = tmp_path / "metrics" / "gone"
    monkeypatch.setattr("spikedoc.readers.mlflow.metric_files", lambda *_: [gone, kept])
    table = READER.read(tmp_path)
    assert [s.tag for s in table.series] == ["kept"]
    assert english(table.notes) == ("gone: no such file or directory; left out",)
