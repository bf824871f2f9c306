"""Quantities that cannot be exactly 0 while anything is learned, and are: nothing was counted."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import Run, Series

NAME: Final = "blanks"
# The log-probability of an answer in preference training: 0 means that no token of it was counted.
ANSWER: Final = re.compile(r"(^|[/_.])logps[/_.](chosen|rejected)$")
# The reward of an answer is a multiple of how far the policy has left the reference.
MOVED: Final = re.compile(r"(^|[/_.])rewards[/_.](chosen|rejected)$")
# The loss of a box that belongs to an object: 0 means that no object was given.
BOX: Final = re.compile(r"(^|[/_.])(box|bbox|[gdc]?iou|dfl|loss_bbox|box_reg)(_?loss)?$")
# The loss of a sequence without alignment: 0 means that there was no label, or none that fits.
SEQUENCE: Final = re.compile(r"(^|[/_.])ctc_?loss$|(^|[/_. ])loss[/_. ]ctc$")
# A record may be an accident, and the first one is taken before the first update.
LEAST: Final = 3


def detect(run: Run) -> tuple[Detection, ...]:
    """Return BLANK for what is exactly 0 in each record, UNMOVED for a policy that never moved."""
    answers = [s for s in run.series if ANSWER.search(s.tag) and _is_blank(s, 1)]
    if answers:
        return (_found(Shape.BLANK, answers[0]),)
    boxes = [s for s in _loss_terms(run) if BOX.search(s.tag.lower())]
    if boxes and all(_is_blank(s, LEAST) for s in boxes) and _finds_nothing(run):
        return (_found(Shape.BLANK, boxes[0]),)
    labels = [s for s in _loss_terms(run) if SEQUENCE.search(s.tag.lower())]
    if labels and all(_is_blank(s, LEAST) for s in labels) and _answers_nothing(run):
        return (_found(Shape.BLANK, labels[0]),)
    rewards = [s for s in run.series if MOVED.search(s.tag)]
    if len(rewards) > 1 and all(_is_blank(s, LEAST) for s in rewards) and _is_trained(run):
        return (_found(Shape.UNMOVED, run.main_loss or rewards[0]),)
    return ()


def _loss_terms(run: Run) -> list[Series]:
    """Return the terms of the training loss; some readers take a share of an IoU for a metric."""
    metrics = [s for s in run.all(Metric.TRAIN_METRIC) if "loss" in s.tag.lower()]
    return [*run.all(Metric.LOSS_COMPONENT), *metrics]


def _finds_nothing(run: Run) -> bool:
    """Return whether no evaluation, if any, found an object."""
    return not any(bool(np.any(s.values != 0.0)) for s in run.all(Metric.VAL_METRIC))


def _answers_nothing(run: Run) -> bool:
    """Return whether an accuracy is logged and not one answer is right."""
    shares = [s for s in run.all(Metric.TRAIN_METRIC) if is_accuracy(s)]
    return bool(shares) and all(not np.any(s.values != 0.0) for s in shares)


def _is_trained(run: Run) -> bool:
    """Return whether the learning rate, where logged, was not 0 in the last records."""
    rate = run.get(Metric.LR)
    return rate is None or bool(np.all(rate.values[-LEAST:] > 0))


def _is_blank(series: Series, least: int) -> bool:
    return len(series) >= least and bool(np.all(series.values == 0.0))


def _found(shape: Shape, series: Series) -> Detection:
    first, last = int(series.steps[0]), int(series.steps[-1])
    measures = {"points": float(len(series))}
    return Detection(NAME, shape, series.name, first, first, last, measures)


DETECTOR: Final = detect
