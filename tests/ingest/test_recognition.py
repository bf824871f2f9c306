"""Which reader a file gets."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest.recognition import readers, recognise

TRACKERS = Path(__file__).parents[1] / "data" / "trackers"


def test_general_layouts_are_tried_last() -> None:
    assert list(readers())[-3:] == ["csv", "jsonl", "text"]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("wandb/*/*.wandb", "wandb"),
        ("swanlab/*/*.swanlab", "swanlab"),
        ("visualdl/train/*", "visualdl"),
        ("mlflow/mlflow.db", "mlflow_db"),
        ("mlflow/mlruns/*/*/metrics/train/loss", "mlflow"),
        ("trackio/p.db", "trackio"),
        ("comet/*.zip", "comet"),
        ("clearml/*.zip", "clearml"),
        ("dvclive/plots/metrics/lr.tsv", "dvclive"),
        ("parquet/history.parquet", "parquet"),
        ("parquet/history.feather", "parquet"),
    ],
)
def test_files_of_trackers(pattern: str, name: str) -> None:
    path = next(TRACKERS.glob(pattern))
    reader, size, packing = recognise(path)
    assert reader is not None
    assert (reader.name, size, packing) == (name, path.stat().st_size, "")


def test_a_packed_table(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"step,loss\n1,0.5\n2,0.25\n"))
    reader, _, packing = recognise(path)
    assert reader is not None
    assert (reader.name, packing) == ("csv", "gzip")


def test_nothing_knows_it(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(range(256)) * 4)
    assert recognise(path)[0] is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "empty"), (b"\x00" * 9, "NUL"), (b"version https://git-lfs.github.com", "LFS")],
)
def test_what_cannot_be_read(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        recognise(path)
    with pytest.raises(InputError, match="no such file"):
        recognise(tmp_path / "missing")
