"""What a line says is learnt from lines with other numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.readers._text_pattern import learn
from spikedoc.readers._text_reading import Reading
from spikedoc.readers._text_writer import UnclearError


def reading() -> Reading:
    return Reading(Path("train.log"))


def test_numbers_that_mean_something_are_kept() -> None:
    pattern = learn(b"2024-05-01 12:00:01 step 12 of 99 loss 0.5 (12.0ms)\n", reading().rehearse)
    assert pattern is not None
    assert pattern.meaning is not None
    assert pattern.line.findall(b"2025-11-30 23:59:59 step 7 of 9 loss -1.25 (3.5ms)\n")
    assert list(pattern.meaning.values) == ["loss"]
    assert pattern.meaning.step == 0
    assert pattern.meaning.values["loss"].place == 2 - (pattern.meaning.batches is None)


def test_words_of_any_alphabet_stand_between_the_numbers() -> None:
    pattern = learn("Δ step 3 loss: 0.5\n".encode(), reading().rehearse)
    assert pattern is not None
    assert pattern.meaning is not None
    assert pattern.line.findall("Δ step 12 loss: 0.25\n".encode()) == [(b"12", b"0.25")]
    assert learn(b"\xe9 step 3 loss: 0.5\n", reading().rehearse) is None


def test_a_run_ends_at_another_line() -> None:
    pattern = learn(b"iter 0: loss 4.5, time 10.0ms\n", reading().rehearse)
    assert pattern is not None
    lines = b"iter 1: loss 4.25, time 9.5ms\niter 20: loss 4.0, time 9.0ms\n"
    match = pattern.run.match(lines + b"iter 3: loss nan, time 9.0ms\niter 4: loss")
    assert match is not None
    assert match.end() == len(lines)


def test_milliseconds_become_seconds() -> None:
    pattern = learn(b"step 5 loss 0.5 data 12.5 ms fetch: 7.5ms\n", reading().rehearse)
    assert pattern is not None
    assert pattern.meaning is not None
    assert pattern.meaning.values["fetch"].factor == 1e-3


@pytest.mark.parametrize(
    "line",
    [
        "loss 0.5",  # no line end
        "step 1 loss 0.5" + 3_000 * "x" + "\n",
        "nothing to see\n",
        "iteration 5/ 10 | number of nan iterations: 1 |\n",  # zero says something else
        "layer0 5d_loss: 0.5 step 3 6d_loss: 1.5\n",  # numbers in names
    ],
)
def test_lines_without_a_clear_pattern(line: str) -> None:
    assert learn(line.encode(), reading().rehearse) is None


@pytest.mark.parametrize(
    "line",
    [
        "[rank 3]: step 1 loss 0.5\n",
        "3: step 1 loss 0.5\n",
        "100/200 [00:12<00:12, 8.1it/s, loss=0.5]\n",
        "slurmstepd: job 12 CANCELLED AT 7\n",
        "Epoch 3\n",
    ],
)
def test_lines_that_say_more_than_their_numbers(line: str) -> None:
    with pytest.raises(UnclearError):
        learn(line.encode(), reading().rehearse)
