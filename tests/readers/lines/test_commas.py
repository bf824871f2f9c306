"""Decimal commas in printed lines, and names set off by commas."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.lines._commas import are_decimal, may_have_commas, with_colons, with_points
from spikedoc.readers.text import READER


@pytest.mark.parametrize(
    ("line", "may", "sure"),
    [
        ("epoch: 3 loss: 0,838 acc: 0,5", True, True),
        ("loss: 1,234", True, True),  # a loss is no whole number
        ("reward: 1,234", True, False),
        ("reward: 1,2345", True, True),
        ("loss: 1,234.5", False, False),
        ("loss 0.5 tokens 1,234", False, False),
        ("shape: 3,224,224", False, False),
        ("betas: 0,9, 0,999", True, True),
        ("loss: 838", False, False),
    ],
)
def test_what_a_comma_is(line: str, may: bool, sure: bool) -> None:
    assert may_have_commas(line) is may
    assert (may and are_decimal(line)) is sure


def test_rewritten_lines() -> None:
    assert with_points("loss: 0,838, acc = -1,5") == "loss: 0.838, acc = -1.5"
    assert with_colons("loss_train, 0.838") == "loss_train: 0.838"
    assert with_colons("epoch, 3, loss, 0.5") == "epoch: 3, loss: 0.5"
    for line in ("Epoch 3, loss 0.5", "a list, of 3, 4", "loss: 0.5, 3"):
        assert with_colons(line) == line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("loss, 0.5 acc, 0.7", "loss: 0.5 acc: 0.7"),
        ("[loss, 0.5; top 1, 0.7]", "[loss: 0.5; top 1: 0.7]"),
        ("loss,0.5,acc,0.7", "loss:0.5,acc:0.7"),
        ("layer1, 0.5", "layer1: 0.5"),
        ("layer1,0.5", None),
        ("loss, 0.5 acc", None),
        ("0.5, loss", None),
        ("loss, , 0.5", None),
        ("loss,", None),
    ],
)
def test_names_and_numbers_take_turns(line: str, said: str | None) -> None:
    assert with_colons(line) == (said or line)


@pytest.mark.parametrize("piece", ["a, 1     ", "a 1, 1 ; ", "a, 1e5 ", "a 1    1, "])
def test_lines_that_nearly_do_are_told_at_once(piece: str) -> None:
    """Each piece can be read in several ways: tried one after the other they never end."""
    for ending in ("a, x", "a, 1", ""):
        with_colons(piece * 40 + ending)


LOSSES = [round(2 * 0.97**i, 3) for i in range(100)]


@pytest.mark.parametrize("count", [5, 100])
def test_decimal_commas(tmp_path: Path, count: int) -> None:
    path = tmp_path / "train.log"
    said = [f"step {i} loss: {x:.3f} acc: {1 - x / 4:.4f} lr: 1e-3" for i, x in enumerate(LOSSES)]
    path.write_text("\n".join(one.replace(".", ",") for one in said[:count]) + "\n")
    table = READER.read(path)
    assert points(table, "loss") == list(enumerate(LOSSES[:count]))
    expected = [(i, float(f"{1 - x / 4:.4f}")) for i, x in enumerate(LOSSES[:count])]
    assert points(table, "acc") == expected
    assert points(table, "lr") == [(i, 1e-3) for i in range(count)]


def test_names_set_off_by_commas(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "".join(f"epoch, {e}\nloss_train, {x}\nloss_val, {x + 1}\n" for e, x in enumerate(LOSSES))
    )
    table = READER.read(path)
    assert points(table, "loss_train") == list(enumerate(LOSSES))
    assert points(table, "loss_val") == [(e, x + 1) for e, x in enumerate(LOSSES)]
