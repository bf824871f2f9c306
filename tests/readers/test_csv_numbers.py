"""Decimal commas and thousands separators in tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.readers import csv as csv_module
from spikedoc.readers._numbers import number
from spikedoc.readers.csv import READER
from tests.notes import english


@pytest.mark.parametrize(
    ("text", "steps", "losses"),
    [
        ("step;loss\n0;2,5\n1;1,75\n2;0,123\n", [0, 1, 2], [2.5, 1.75, 0.123]),
        ("step;loss\n1.000;2,123\n2.000;1,900\n3.000;1,8\n", [1000, 2000, 3000], [2.123, 1.9, 1.8]),
        ("step;loss\n1 000;2,5\n2 000;1,5\n3 000;0,5\n", [1000, 2000, 3000], [2.5, 1.5, 0.5]),
        ('step,loss\n0,"2,125"\n1,"1,90"\n2,"1,8"\n', [0, 1, 2], [2.125, 1.9, 1.8]),
        ('step,loss\n"1,000",2.5\n"2,000",1.5\n"3,000",0.5\n', [1000, 2000, 3000], [2.5, 1.5, 0.5]),
        ("step\tloss\n1'000\t1,234.5\n2'000\t900.5\n", [1000, 2000], [1234.5, 900.5]),
        ("step;loss\n0;2.125,5\n1;1.912,25\n2;1.234,0\n", [0, 1, 2], [2125.5, 1912.25, 1234.0]),
        (
            'step,loss\n0,"2.125,5"\n1,"1.912,25"\n2,"1.234,0"\n',
            [0, 1, 2],
            [2125.5, 1912.25, 1234.0],
        ),
        ("step\tloss\n0\t0,5\n1\t0,25\n2\t0,125\n", [0, 1, 2], [0.5, 0.25, 0.125]),
        # points and commas in one column: `0,312` groups no thousands
        ("step;loss\n0;3.312\n1;2,312\n2;1.9\n3;0,312\n", [0, 1, 2, 3], [3.312, 2.312, 1.9, 0.312]),
        ("step;loss\n0;3.312\n1;2,312\n2;0,312\n", [0, 1, 2], [3.312, 2.312, 0.312]),
        ('step,loss\n0,"3.312"\n1,"0,312"\n2,"0.25"\n', [0, 1, 2], [3.312, 0.312, 0.25]),
        ('step,loss\n0,"1,234.5"\n1,"900,5"\n2,"800"\n', [0, 2], [1234.5, 800.0]),
        # other signs for the same
        ("step,loss\n0,−2.5\n1,－1.75\n2,0.5\n", [0, 1, 2], [-2.5, -1.75, 0.5]),
        ("step，loss\n０，２．５\n１，１．７５\n２，０．５\n", [0, 1, 2], [2.5, 1.75, 0.5]),
        ("“step”,“loss”\n“0”,“2.5”\n“1”,“1.75”\n“2”,“0.5”\n", [0, 1, 2], [2.5, 1.75, 0.5]),
        ("„step“;„loss“\n„0“;„2,5“\n„1“;„1,75“\n„2“;„0,5“\n", [0, 1, 2], [2.5, 1.75, 0.5]),
        ("«step»\t«loss»\n«0»\t«2.5»\n«1»\t«1.75»\n«2»\t«0.5»\n", [0, 1, 2], [2.5, 1.75, 0.5]),
    ],
)
@pytest.mark.parametrize("is_large", [False, True])
def test_signs_in_numbers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    steps: list[int],
    losses: list[float],
    is_large: bool,
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    path = tmp_path / "log.csv"
    path.write_text(text)
    (found,) = READER.read(path).series
    assert found.steps.tolist() == steps
    assert found.values.tolist() == losses


def test_tokens_grouped_by_points_beside_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step;loss;tokens\n0;2,5;1.234.567\n1;1,9;2.234.567\n2;1,8;3.234.567\n")
    loss, tokens = READER.read(path).series
    assert loss.values.tolist() == [2.5, 1.9, 1.8]
    assert tokens.values.tolist() == [1_234_567.0, 2_234_567.0, 3_234_567.0]


def test_a_decimal_comma_that_tears_the_rows_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,loss\n0,2,125\n1,1,900\n2,1,800\n3,1,234\n")
    notes = english(READER.read(path).notes)
    assert any("where commas are decimal signs, write ; between" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234", 1234.0), ("1,234,567.5", 1234567.5), ("1 234", 1234.0), ("1\u202f234", 1234.0)],
)
def test_thousands(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["1,80", "1,2345", ",5", "1,234,5", "1,234 567", "0,312"])
def test_what_groups_nothing_is_no_number(text: str) -> None:
    assert number(text) is None
