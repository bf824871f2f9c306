"""What is exactly 0 in every record although anything learned would move it."""

from __future__ import annotations

import numpy as np
import synth

from spikedoc.detectors.blanks import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def other(tag: str, *values: float) -> Series:
    return synth.series(np.array(values), Metric.OTHER, tag=tag, name=f"other:{tag}")


def term(tag: str, *values: float) -> Series:
    return synth.series(
        np.array(values), Metric.LOSS_COMPONENT, tag=tag, name=f"loss_component:{tag}"
    )


def preference(*rewards: float, lr: float = 5e-7) -> Run:
    size = len(rewards)
    return synth.run(
        synth.series(np.full(size, 0.6931), Metric.LOSS),
        synth.series(np.full(size, lr), Metric.LR),
        other("rewards/chosen", *rewards),
        other("rewards/rejected", *rewards),
    )


def shapes(run: Run) -> list[Shape]:
    return [d.shape for d in detect(run)]


def test_an_answer_without_a_counted_token() -> None:
    loss = synth.series(np.array([0.6931]), Metric.LOSS)
    assert shapes(synth.run(loss, other("logps/chosen", 0.0))) == [Shape.BLANK]
    assert shapes(synth.run(loss, other("logps/chosen", -270.5))) == []


def test_a_policy_that_stays_its_reference() -> None:
    assert shapes(preference(0.0, 0.0, 0.0)) == [Shape.UNMOVED]


def test_the_first_records_are_before_the_first_update() -> None:
    assert shapes(preference(0.0, 0.0)) == []
    assert shapes(preference(0.0, 0.0, 0.0, lr=0.0)) == []
    assert shapes(preference(0.0, 0.0, 0.002)) == []


def test_boxes_that_are_never_given() -> None:
    loss = synth.series(np.array([0.03, 0.02, 0.01]), Metric.LOSS)
    cls = term("train/cls_loss", 0.03, 0.02, 0.01)
    boxes = term("train/box_loss", 0.0, 0.0, 0.0)
    (found,) = detect(synth.run(loss, cls, boxes))
    assert (found.shape, found.signal) == (Shape.BLANK, boxes.name)


def test_a_box_loss_among_others_or_a_score_above_zero() -> None:
    loss = synth.series(np.array([0.03, 0.02, 0.01]), Metric.LOSS)
    empty, full = term("train/dfl_loss", 0.0, 0.0, 0.0), term("train/iou_loss", 0.9, 0.8, 0.7)
    assert shapes(synth.run(loss, empty, full)) == []
    score = synth.series(np.array([0.1]), Metric.VAL_METRIC, tag="mAP50", name="val_metric:mAP50")
    assert shapes(synth.run(loss, term("train/box_loss", 0.0, 0.0, 0.0), score)) == []


def test_sequences_without_a_label_that_fits() -> None:
    accuracy = synth.series(np.zeros(3), Metric.TRAIN_METRIC, tag="acc", name="train_metric:acc")
    labels, decoder = term("CTCLoss", 0, 0, 0), term("SARLoss", 1.7, 1.6, 1.6)
    (found,) = detect(synth.run(labels, decoder, accuracy))
    assert (found.shape, found.signal) == (Shape.BLANK, labels.name)
    assert detect(synth.run(labels, decoder)) == ()  # nothing says that the answers are wrong
    right = synth.series(np.array([0, 0, 0.1]), Metric.TRAIN_METRIC, tag="acc")
    assert detect(synth.run(labels, decoder, right)) == ()
    assert detect(synth.run(term("CTCLoss", 0, 0.1, 0), accuracy)) == ()


def test_three_records_make_a_blank() -> None:
    """Of boxes and rewards; of an answer one is enough."""
    for records, told in ((2, []), (3, [Shape.BLANK])):
        assert shapes(synth.run(term("train/box_loss", *[0.0] * records))) == told
    answer = other("logps/chosen", 0.0)
    assert shapes(synth.run(answer)) == [Shape.BLANK]
    (found,) = detect(synth.run(other("logps/chosen", 0.0, 0.0)))
    assert (found.first_step, found.peak_step, found.last_step) == (1, 1, 2)
    assert found.measures == {"points": 2.0}


def test_both_rewards_and_a_rate_above_zero_in_the_last_three_records() -> None:
    chosen, rejected = (other(f"rewards/{side}", 0.0, 0.0, 0.0) for side in ("chosen", "rejected"))
    assert shapes(synth.run(chosen, rejected)) == [Shape.UNMOVED]
    assert shapes(synth.run(chosen)) == []
    for rates, told in (((0.0, 1.0, 1.0, 1.0), [Shape.UNMOVED]), ((1.0, 0.0, 1.0, 1.0), [])):
        lr = synth.series(np.array(rates), Metric.LR)
        assert shapes(synth.run(chosen, rejected, lr)) == told
