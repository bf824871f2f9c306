"""Prefixes of loggers."""

from __future__ import annotations

import pytest

from spikedoc.readers.lines._loggers import message

PREFIXES = [
    "INFO: ",
    "INFO:root:",
    "[INFO] ",
    "2024-05-01 10:00:00,123 - root - INFO - ",
    "[2024-05-01 10:00:00] ",
    "[2024-05-01 10:00:00][INFO] ",
    "2024-05-01 10:00:00.123 | INFO     | __main__:main:30 - ",
    "2024-05-01 10:00:00 | INFO | trainer | ",
    "[05/01 10:00:00] trainer INFO: ",
    "10:00:00 | ",
    "I0501 10:00:00.123456 1234 train.py:30] ",
    "[train] ",
    "0: ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("text", ["step: 100", "loss: 0.5", "Validation", "Epoch 3/10"])
def test_what_stands_in_front_goes(prefix: str, text: str) -> None:
    assert message(prefix + text) == text


@pytest.mark.parametrize(
    "text",
    [
        "step: 100",
        "[iteration 5]",
        "[loss] 0.5",
        "IoU: 0.5",
        "FID: 3",
        "DICE: 4",
        "0: 0.5",
        "[5] a",
    ],
)
def test_what_is_said_itself_stays(text: str) -> None:
    assert message(text) == text
