"""Tables and JSON lines read in the quick ways give exactly what the patient ways give."""

from __future__ import annotations

import json
import math
import random
from array import array
from pathlib import Path

import numpy as np
import pytest
from tables import PARSER_ERROR

from spikedoc.readers import csv, jsonl
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._json_quick import QuickLines
from spikedoc.readers._json_rows import is_plain
from spikedoc.readers.base import Reader, Table

NUMBERS = ["1.5", "-2", "3e-7", "1E5", ".5", "7.", "nan", "inf", "-inf", "0.30000000000000004"]


def same(first: Table, second: Table) -> None:
    assert [one.tag for one in first.series] == [one.tag for one in second.series]
    for a, b in zip(first.series, second.series, strict=True):
        assert a.steps.tolist() == b.steps.tolist()
        assert np.allclose(a.values, b.values, rtol=PARSER_ERROR, atol=0.0, equal_nan=True)
        assert a.order is not None
        assert b.order is not None
        assert a.order.tolist() == b.order.tolist()
    assert first.notes == second.notes


def read(reader: Reader, path: Path, text: str) -> Table:
    path.write_bytes(text.encode())
    return reader.read(path)


class TestCsv:
    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("missing", [0.0, 0.3])
    @pytest.mark.parametrize("between", [",", "\t", ", "])
    def test_three_ways_agree(
        self,
        seed: int,
        missing: float,
        between: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        draw = random.Random(seed)
        names = ["step", "loss", "lr", "acc"]
        rows = [
            [str(step), *("" if draw.random() < missing else draw.choice(NUMBERS) for _ in "abc")]
            for step in range(100)
        ]
        text = "\n".join(between.join(row) for row in [names, *rows]) + "\n"
        quick = read(csv.READER, tmp_path / "log.csv", text)
        monkeypatch.setattr(csv, "_plain_columns", lambda *_: None)
        same(quick, read(csv.READER, tmp_path / "log.csv", text))
        monkeypatch.setattr(csv, "LARGE_FILE_BYTES", 0)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 7)
        same(quick, read(csv.READER, tmp_path / "log.csv", text))

    def test_the_quick_way_is_taken_for_numbers_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(csv, "_blocks", lambda *_: pytest.fail("the patient way was taken"))
        table = read(csv.READER, tmp_path / "log.csv", "step,loss\n0,1\n1,nan\n2,3\n")
        assert table.series[0].steps.tolist() == [0, 1, 2]

    @pytest.mark.parametrize(
        "text",
        [
            "step,loss,lr\n0,1,1\n1,2,3\n2,3,4\n1,2\n2,3,4,5\n3,4,5\n",  # equal in number only
            "step,loss,lr\n0,1,1\n1,2,3\n2,3",  # being written
            'step,loss\n0,"1"\n1,2\n2,3\n',
            "step,loss\n0,1\n1,2\nstep,loss\n1,3\n2,4\n",
            "step,loss\r\n0,1\r\n1,2\r\n2,3\r\n",
        ],
    )
    def test_other_tables_are_left_to_the_patient_way(
        self, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = read(csv.READER, tmp_path / "log.csv", text)
        monkeypatch.setattr(csv, "_plain_columns", lambda *_: None)
        same(table, read(csv.READER, tmp_path / "log.csv", text))

    def test_columns_that_begin_late_or_end_early(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(csv, "LARGE_FILE_BYTES", 0)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 10)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROOM_FACTOR", 0.0)
        rows = [f"{i},{i / 2},{i if i < 25 else ''},{i if i > 25 else ''}" for i in range(60)]
        text = "step,loss,early,late\n" + "\n".join(rows) + "\n"
        table = read(csv.READER, tmp_path / "log.csv", text)
        by_tag = {one.tag: one for one in table.series}
        assert by_tag["loss"].values.tolist() == [i / 2 for i in range(60)]
        assert by_tag["early"].steps.tolist() == list(range(25))
        assert by_tag["late"].steps.tolist() == list(range(26, 60))
        assert by_tag["late"].values.tolist() == [float(i) for i in range(26, 60)]


class TestJsonLines:
    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("odd", [0.0, 0.02])
    def test_both_ways_agree(
        self, seed: int, odd: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draw = random.Random(seed)
        values = [1.5, -2, 3e-7, math.nan, math.inf, -math.inf, 0.1 + 0.2, 10**6]
        lines = []
        for step in range(300):
            row: dict[str, object] = {"step": step, "loss": draw.choice(values), "a b": step / 7}
            if draw.random() < odd:
                row = draw.choice([{"step": step, "eval": 1}, row | {"loss": None}, {"x": "y"}, {}])
            lines.append(json.dumps(row))
        text = "\n".join(lines) + "\n"
        monkeypatch.setattr(jsonl, "BLOCK_BYTES", 2000)
        quick = read(jsonl.READER, tmp_path / "log.jsonl", text)
        monkeypatch.setattr("spikedoc.readers._json_quick.LARGE_FILE_BYTES", 0)
        monkeypatch.setattr(jsonl, "LARGE_BLOCK_BYTES", 3000)
        same(quick, read(jsonl.READER, tmp_path / "log.jsonl", text))
        monkeypatch.setattr(QuickLines, "columns", lambda *_: None)
        same(quick, read(jsonl.READER, tmp_path / "log.jsonl", text))

    def test_the_quick_way_is_taken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jsonl, "_parse_all", lambda *_: pytest.fail("the patient way"))
        text = "".join(f'{{"step": {i}, "loss": {i}.25}}\n' for i in range(20))
        (loss,) = read(jsonl.READER, tmp_path / "log.jsonl", text).series
        assert loss.values.tolist() == [i + 0.25 for i in range(20)]

    @pytest.mark.parametrize(
        "line",
        [
            '{"step": 1, "loss": null}',
            '{"step": 1, "loss": "0.5"}',
            '{"step": 1, "loss": true}',
            '{"loss": 0.5, "step": 1}',
            '{"step": 1, "loss":0.5}',
            '{"step": 1, "loss": 0.5, "lr": 1}',
            '{"step": 1, "loss": {"a": 0.5}}',
            'warning {"step": 1, "loss": 0.5}',
            '{"step": 1, "loss": 0.5} warning',
            '{"step": 1, "loss": 0.5.5}',
            "",
        ],
    )
    def test_a_line_that_differs_is_left_to_the_patient_way(self, line: str) -> None:
        quick = QuickLines(is_plain)
        good = b'{"step": 0, "loss": 0.25}\n'
        assert quick.columns(good * 3) == [array("d", [0, 0, 0]), array("d", [0.25] * 3)]
        assert quick.columns(good + line.encode() + b"\n" + good) is None

    @pytest.mark.parametrize(
        "line",
        [
            b"[1, 2]\n",
            b'{"a:1,": 2, "b": 3}\n',
            b'{"a": 1, "a": 2}\n',
            b'{"a": "x, \\"b\\": 1", "c": 2}\n',
            b'{"mode": 1, "loss": 2}\n',
            b"{}\n",
            b"\n",
            b"\xff\n",
            b"{" * 9000 + b"\n",
        ],
    )
    def test_lines_that_teach_no_pattern(self, line: bytes) -> None:
        found = QuickLines(is_plain).columns(line)
        assert found is None or [list(column) for column in found] == [[2.0], [3.0]]


class TestBuilder:
    def test_dense_columns_share_their_rows(self) -> None:
        builder = ColumnsBuilder()
        for index in range(5):
            builder.add([("a", index), ("b", 2 * index)])
        columns = builder.columns()
        assert np.shares_memory(columns["a"].rows, columns["b"].rows)
        assert columns["b"].values.tolist() == [0, 2, 4, 6, 8]

    def test_rows_are_kept_once_one_is_missing(self) -> None:
        builder = ColumnsBuilder()
        builder.add([("a", 0.0)])
        builder.add([("b", 1.0)])
        builder.add_columns(["a", "b"], [array("d", [2, 3]), array("d", [4, 5])])
        builder.add([("a", 9.0)])
        columns = builder.columns()
        assert columns["a"].rows.tolist() == [0, 2, 3, 4]
        assert columns["a"].values.tolist() == [0, 2, 3, 9]
        assert columns["b"].rows.tolist() == [1, 2, 3]
