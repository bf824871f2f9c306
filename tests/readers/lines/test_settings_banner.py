"""Settings that a script prints when it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.model.run import ConfigValue
from spikedoc.readers.lines.settings_banner import LEAST_SETTINGS, settings_in
from spikedoc.readers.text import READER


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Namespace(lr=0.1, epochs=12, amp=True, data='x, y', device=device(type='cuda'))",
            {"lr": 0.1, "epochs": 12, "amp": True, "data": "x, y"},
        ),
        (
            "2026-01-02 10:00:00 INFO args: argparse.Namespace(lr=1e-4, seed=-3, wd=.1)",
            {"lr": 1e-4, "seed": -3, "wd": 0.1},
        ),
        ('TrainConfig(lr=3e-4, steps=100, name="a")', {"lr": 3e-4, "steps": 100, "name": "a"}),
        (
            "Config: {'lr': 0.1, 'epochs': 12, 'clip': None, 'loss': 'ce', 'n': 2}",
            {"lr": 0.1, "epochs": 12, "loss": "ce", "n": 2},
        ),
        ("Namespace(lr=0.1, epochs=12)", {}),  # fewer than a script has
        ("params(loss=0.5, acc=0.9, lr=0.1)", {}),  # a record
        ("epoch 3 loss 0.5 (lr=0.1, acc=0.9, n=3)", {}),
        ("{'loss': 0.5, 'learning_rate': 0.1, 'epoch': 1.0}", {}),
        ("Namespace(" + "(" * 9_000, {}),
    ],
)
def test_settings(line: str, expected: dict[str, ConfigValue]) -> None:
    assert settings_in(line) == expected
    assert not expected or len(expected) >= LEAST_SETTINGS


def test_settings_are_no_quantities(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = [f"epoch {e} loss {1 / (e + 1):.4f}\n" for e in range(5)]
    path.write_text("Namespace(lr=0.1, epochs=5, score_weight=2)\n" + "".join(lines))
    table = READER.read(path)
    assert [(one.tag, one.steps.tolist()) for one in table.series] == [("loss", [0, 1, 2, 3, 4])]
    assert table.config == {"lr": 0.1, "epochs": 5, "score_weight": 2}
