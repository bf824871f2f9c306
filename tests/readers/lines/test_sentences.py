"""Records told in words are put as names and numbers; other sentences are left alone."""

from __future__ import annotations

import pytest

from spikedoc.readers.lines._sentences import as_pairs
from spikedoc.readers.lines.generic import PROFILE


@pytest.mark.parametrize(
    ("line", "step", "epoch", "values"),
    [
        ("Loss of 0.25 on iteration 7", 7, "", {"Loss": 0.25}),
        ("iteration 7: train loss was 0.25", 7, "", {"train loss": 0.25}),
        ("step 7: loss is now 0.25", 7, "", {"loss": 0.25}),
        ("Cost after epoch 7: 0.25", None, "7", {"Cost": 0.25}),
        ("The loss at epoch 7 is 0.25", None, "7", {"loss": 0.25}),
        ("Training loss for epoch 7 was 0.25", None, "7", {"Training loss": 0.25}),
        ("Cost after iteration 7: 0.25", 7, "", {"Cost": 0.25}),
        ("Train loss after 700 steps: 0.25", 700, "", {"Train loss": 0.25}),
        ("(i, loss(data[1]...)) = (7, 0.25 (tracked))", 7, "", {"loss": 0.25}),
        ("Test set: Average loss: 0.5, Accuracy: 333/1000 (33%)", None, "",
         {"val_Average loss": 0.5, "val_Accuracy": 33.3}),
        ("Accuracy of the network on the 10,000 test images: 53 %", None, "",
         {"test_accuracy": 53.0}),
        ("Accuracy on 50,000 train images:  60.5 %", None, "", {"train_accuracy": 60.5}),
        ("Minibatch accuracy: 9.5%", None, "", {"Minibatch accuracy": 9.5}),
    ],
)  # fmt: skip
def test_a_sentence_is_a_record(
    line: str, step: int | None, epoch: str, values: dict[str, float]
) -> None:
    record = PROFILE.start().take(line)
    assert record is not None
    assert (record.step, record.epoch) == (step, epoch)
    assert dict(record.values) == pytest.approx(values)


@pytest.mark.parametrize(
    "line",
    [
        "the loss of the generator", "Accuracy: 30/20 (150%)", "acc 3/10", "loss 0.5 of 3",
        "the cost of training was high", "epoch 3 of 10, loss: 0.5", "no quantity of 0.5",
    ],
)  # fmt: skip
def test_other_sentences_are_left(line: str) -> None:
    assert as_pairs(line) == line
