"""Tables as people post them in Markdown: bold numbers, and the steps in the header."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers._marked_table import unmarked
from spikedoc.readers.csv import READER


def read(tmp_path: Path, text: str) -> list[tuple[int, float]]:
    path = tmp_path / "posted.txt"
    path.write_text(text, encoding="utf-8")
    return points(READER.read(path), "loss")


@pytest.mark.parametrize("cell", ["**1.25**", "`1.25`", "~~1.25~~", "** 1.25 **", "***1.25***"])
def test_a_number_set_off_is_a_number(tmp_path: Path, cell: str) -> None:
    text = f"| step | loss |\n|---|:---:|\n| 10 | 4.5 |\n| 20 | {cell} |\n| 30 | 7.0 |\n"
    assert read(tmp_path, text) == [(10, 4.5), (20, 1.25), (30, 7.0)]


def test_steps_in_the_header(tmp_path: Path) -> None:
    text = (
        "| step | 10 | 20 | 30 | … | 90 | mean |\n|---|---|---|---|---|---|---|\n"
        "| loss | 4.5 | **1.25** | 7.0 | … | 9.0 | 5.4 |\n"
        "| lr | 1e-4 | 2e-4 | 2e-4 | … | 2e-4 | |\n"
    )
    assert read(tmp_path, text) == [(10, 4.5), (20, 1.25), (30, 7.0), (90, 9.0)]


@pytest.mark.parametrize(
    "header",
    [
        "| model | 10 | 20 | 30 |",
        "| step | 10 | 20 |",
        "| step | 30 | 20 | 10 |",
        "| step | a | b |",
    ],
)
def test_what_is_not_turned_round(header: str) -> None:
    rule = "|---" * (header.count("|") - 1) + "|"
    text = f"{header}\n{rule}\n| loss | 1 | 2 | 3 |\n"
    assert unmarked(text) == text


@pytest.mark.parametrize(
    "text", ["step|loss\n1|**2.0**\n", "|---|---|\n1|2\n", "loss: **2.0**\n", ""]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert unmarked(text) == text


def test_rows_that_begin_with_a_number_are_records() -> None:
    text = "| step | 1 | 2 | 3 |\n|---|---|---|---|\n| 10 | 0.5 | 0.4 | 0.3 |\n"
    assert unmarked(text) == text
