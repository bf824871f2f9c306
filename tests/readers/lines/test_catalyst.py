"""Catalyst's console: lines of one cell, rates told twice, several loaders of training."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER

EPOCHS = range(1, 7)
LOSS = [(e, float(e)) for e in EPOCHS]


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text("".join(text.format(e=e) for e in EPOCHS), encoding="utf-8")
    return READER.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "train ({e}/6) loss: {e}.0\nvalid ({e}/6) loss: 0.5\n* Epoch ({e}/6) \n",
        "train ({e}/6) loss: {e}.0\nvalid ({e}/6) acc: 0.25 | loss: 0.5\n* Epoch ({e}/6)\n",
        "train ({e}/6) loss: {e}.0 | lr: 0.01\nvalid ({e}/6) loss: 0.5\n* Epoch ({e}/6) lr: 0.01\n",
        "train ({e}/6) acc: 0.1 | loss: {e}.0\nvalid ({e}/6) loss: 0.5\n"
        "* Epoch ({e}/6) lr: 0.01 | momentum: 0.9\n",
        "train_a ({e}/6) loss: {e}.0 | lr: 0.01\ntrain_b ({e}/6) loss: 9.5 | lr: 0.01\n"
        "valid ({e}/6) loss: 0.5 | acc: 0.25\n* Epoch ({e}/6) \n",
    ],
)
def test_each_epoch_has_its_losses(tmp_path: Path, text: str) -> None:
    table = read(tmp_path, text)
    assert points(table, "loss") == LOSS
    assert points(table, "valid/loss") == [(e, 0.5) for e in EPOCHS]


def test_the_rate_that_only_the_closing_line_tells_is_kept(tmp_path: Path) -> None:
    table = read(tmp_path, "train ({e}/6) loss: {e}.0\n* Epoch ({e}/6) lr: 0.125\n")
    assert points(table, "lr") == [(e, 0.125) for e in EPOCHS]


def test_a_second_loader_of_training_keeps_its_own_loss(tmp_path: Path) -> None:
    line = "train_a ({e}/6) loss: {e}.0 | lr: 0.1\ntrain_b ({e}/6) loss: 9.5 | lr: 0.1\n"
    table = read(tmp_path, line + "* Epoch ({e}/6) \n")
    assert points(table, "train_b/loss") == [(e, 9.5) for e in EPOCHS]


def test_a_batch_below_an_epoch_of_its_own_is_no_epoch(tmp_path: Path) -> None:
    batches = "".join(f"train ({b}/4) loss: {b}.0\n" for b in (1, 2, 3, 4))
    table = read(tmp_path, "Epoch {e}\n" + batches)
    (loss,) = [one for one in table.series if one.tag == "loss"]
    assert loss.values.tolist() == [1.0, 2.0, 3.0, 4.0] * len(EPOCHS)
