"""How probes answer, and which anomalies a question can be asked of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.evidence.base import Answer, AskedOf, Case
from spikedoc.model.label import STRETCHES, Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.text import FieldValue, Text, rounded

UNKNOWN: Final = Answer(None)

SPIKES: Final = frozenset({Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY})
# Anomalies that repeat: each of their events is looked at.
RECURRING: Final = frozenset({"periodic-spikes", "oscillation/bursts"})
# Anomalies that are about how far the run gets.
PROGRESS: Final = STRETCHES | {
    Kind.DIVERGENCE,
    Kind.LEVEL_SHIFT,
    Kind.SUSTAINED_DRIFT,
    Kind.METRIC_DAMAGE,
}
# Anomalies in which nothing gets through to the weights.
STUCK: Final = frozenset(
    {
        Kind.NON_CONVERGENCE,
        Kind.GRADIENT_VANISHING,
        Kind.NONFINITE,
        Kind.LOSS_SCALE_COLLAPSE,
        Kind.CLIP_SATURATED,
        Kind.FIRST_LOSS_OFF,
    }
)
# Anomalies of numbers that break.
BROKEN: Final = frozenset(
    {Kind.NONFINITE, Kind.DIVERGENCE, Kind.LOSS_SCALE_COLLAPSE, Kind.GRADIENT_EXPLOSION}
)
# Anomalies that can follow the order of the data.
ORDERED: Final = frozenset(
    {
        Kind.PERIODIC_SPIKES,
        Kind.OSCILLATION,
        Kind.NON_CONVERGENCE,
        Kind.LEVEL_SHIFT,
        Kind.SUSTAINED_DRIFT,
        Kind.COMPONENT_DOMINATES,
    }
)
# Digits of a factor or a share: those of the summaries, so that one quantity is told one way.
SHORT_DIGITS: Final = 3


def answer(holds: bool | None, **values: float | int | str | None) -> Answer:
    """Return an answer whose values can be shown and stored: numbers finite, else as words."""
    shown = {name: shown_value(value) for name, value in values.items() if value is not None}
    return Answer(None if holds is None else bool(holds), shown)


def shown_value(value: float | int | str) -> FieldValue:
    """Return a plain int, finite float or string for `value`."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    number = float(value)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else ("inf" if number > 0 else "-inf")


def lacking(*metrics: Metric, config: tuple[str, ...] = ()) -> Answer:
    """Return "unknown" and name what would have to be logged."""
    return Answer(None, {}, metrics, config)


def short(value: float) -> float:
    """Return a factor at the precision at which it is worth reading."""
    return rounded(value, SHORT_DIGITS)


def percent(share: float) -> float:
    """Return a share as a percentage to read."""
    return short(100 * share)


def is_recurring(case: Case) -> bool:
    """Tell whether the anomaly is a series of events."""
    anomaly = case.anomaly
    return anomaly.kind.value in RECURRING or anomaly.label in RECURRING


def is_held_out(case: Case) -> bool:
    """Tell whether the anomaly was seen in a loss on held-out data."""
    own = case.run.named(case.anomaly.signal)
    return own is not None and own.metric in (Metric.VAL_LOSS, Metric.VAL_LOSS_COMPONENT)


def has_onset(case: Case) -> bool:
    """Tell whether the anomaly begins at a moment that other series can be compared at."""
    anomaly = case.anomaly
    if is_recurring(case):
        return True
    return anomaly.kind not in STRETCHES and anomaly.form is not Form.FROM_START


def is_nonfinite_form(case: Case) -> bool:
    """Tell whether the anomaly is made of non-finite values or ends in them."""
    anomaly = case.anomaly
    return anomaly.kind is Kind.NONFINITE or anomaly.form is Form.TO_NONFINITE


def asked_of(kinds: frozenset[Kind], ask: Callable[[Case], Answer]) -> AskedOf:
    """Return `ask` limited to these kinds; of others the question makes no sense: unknown."""
    return AskedOf(kinds, ask)


def saying(found: Answer, en: str, zh: str) -> Answer:
    """Return the answer with a sentence of its own, for a value that is not there."""
    return replace(found, said=Text(en, zh))


def setting(case: Case, key: str) -> float | None:
    """Return a number of the config, or None when it is absent or not a finite number."""
    value = case.run.config.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
