"""Parquet tables of losses per sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.samples.table import read_samples


def test_the_columns_of_names_and_numbers(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"imageId": [f"s{i}" for i in range(24)], "loss": [1.0] * 24, "pixels": [[1]] * 24}
    parquet.write_table(pa.table({"step": [i // 4 for i in range(24)], **columns}), tmp_path / "x")
    table = read_samples(tmp_path / "x")
    assert table.names[:2] == ("s0", "s1")
    assert table.places.tolist() == list(range(6))
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:100])
    with pytest.raises(InputError, match="not a readable table"):
        read_samples(tmp_path / "x")
