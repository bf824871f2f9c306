"""Dicts that take several lines."""

from __future__ import annotations

from pathlib import Path

from tables import points

from spikedoc.readers.lines.base import NOTHING
from spikedoc.readers.lines.dict_block import MOST_LINES, PROFILE
from spikedoc.readers.text import READER


def test_all_that_a_dict_holds_stands_at_its_step(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "".join(
            f"\n{{'gradient_norm': 1.5,\n 'loss': {8 - s / 2},\n 'step': {s * 50}}}\n"
            for s in range(4)
        )
    )
    table = READER.read(path)
    assert points(table, "loss") == [(0, 8.0), (50, 7.5), (100, 7.0), (150, 6.5)]
    assert points(table, "gradient_norm") == [(s, 1.5) for s in (0, 50, 100, 150)]


def test_settings_are_no_record() -> None:
    parser = PROFILE.start()
    assert [parser.take(line) for line in ("{'d_ff': 8,", "'depth': 2}")] == [NOTHING, NOTHING]


def test_a_dict_that_breaks_off_leaves_the_next_line_alone() -> None:
    parser = PROFILE.start()
    assert parser.take("{'loss': 0.5,") is NOTHING
    assert parser.take("step 3 loss 0.5") is None
    assert parser.take("'step': 3}") is None
    assert parser.end() is None


def test_an_endless_dict_is_given_up() -> None:
    parser = PROFILE.start()
    parser.take("{'loss': 0.5,")
    taken = [parser.take(f"'a{number}': 1,") for number in range(MOST_LINES)]
    assert taken[-1] is None
    assert None not in taken[:-1]


def test_a_dict_on_one_line_is_left_to_others() -> None:
    assert PROFILE.start().take("{'loss': 0.5, 'step': 3}") is None
