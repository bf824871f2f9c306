"""Which layer moved first: gradient norms and activation statistics of single layers."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, lacking, short
from spikedoc.evidence._events import span
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import Jump, jump
from spikedoc.text import Text

# One layer leads when it rose threefold, and three times as far as the middle one of the others: a
# bad batch lifts all of them alike.
LEAD_FACTOR: Final = 3.0
LEAD_RATIO: Final = 3.0
LAYERS_FEWEST: Final = 3
# An activation statistic jumps when it rises tenfold; batches move it by tens of per cent.
ACTIVATION_FACTOR: Final = 10.0
# Names of activation statistics, as hooks write them: `act/layers.3/absmax`, `activation_std_7`.
ACTIVATION: Final = re.compile(
    r"\b(?:act|acts|activation|activations|hidden)\b.*\b(?:abs ?max|max|std|rms|norm)\b"
    r"|\b(?:abs ?max|max|std|rms|norm)\b.*\b(?:act|acts|activation|activations|hidden)\b"
)
SEPARATOR: Final = re.compile(r"[^a-z0-9]+")


def _rises(case: Case, series: tuple[Series, ...]) -> list[tuple[Jump, Series]]:
    """Return how far each of the series rose at the onset, the farthest first."""
    found = []
    for one in series:
        rise = jump(one.steps, one.values, *span(case, one))
        if rise is not None and not math.isnan(rise.factor):
            found.append((rise, one))
    return sorted(found, key=lambda pair: -pair[0].factor)


def _one_layer_leads(case: Case) -> Answer:
    layers = case.run.all(Metric.LAYER_GRAD_NORM)
    if not layers:
        return lacking(Metric.LAYER_GRAD_NORM)
    rises = _rises(case, layers) if has_onset(case) else []
    if len(rises) < LAYERS_FEWEST:
        return UNKNOWN
    first, layer = rises[0]
    others = float(np.median([rise.factor for rise, _ in rises[1:]]))
    leads = first.factor >= LEAD_FACTOR and first.factor >= LEAD_RATIO * others
    return answer(leads, name=layer.spoken, factor=short(first.factor), others=short(others))


def _activation_jumps(case: Case) -> Answer:
    series = tuple(
        s
        for s in case.run.all(Metric.OTHER)
        if ACTIVATION.search(SEPARATOR.sub(" ", s.tag.lower()))
    )
    rises = _rises(case, series) if has_onset(case) else []
    if not rises:
        return UNKNOWN
    far = [pair for pair in rises if pair[0].factor >= ACTIVATION_FACTOR]
    # Of those that jumped the first one, as the others only pass it on; among equals the farthest.
    rise, one = min(far, key=lambda pair: (pair[0].step, -pair[0].factor)) if far else rises[0]
    return answer(bool(far), name=one.spoken, factor=short(rise.factor), step=rise.step)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "one_layer_leads",
        Text("Did the gradient of one layer jump alone?", "是否只有某一层的梯度跳升？"),
        Text(
            "The gradient of {name} rose {factor}x, the other layers about {others}x: begin there",
            "{name} 的梯度升高 {factor} 倍，其他层约 {others} 倍：从这一层查起",
        ),
        Text(
            "No layer stands out ({name} rose {factor}x, the others about {others}x)",
            "没有突出的层（{name} 升高 {factor} 倍，其他层约 {others} 倍）",
        ),
        _one_layer_leads,
    ),
    Probe(
        "activation_jumps",
        Text("Did the activations of a layer jump?", "是否有某一层的激活值跳升？"),
        Text(
            "{name} rose {factor}x at step {step}; look at what feeds it",
            "{name} 在第 {step} 步升高 {factor} 倍，查一查它的输入",
        ),
        Text(
            "No activation statistic rose tenfold (most: {name}, {factor}x at step {step})",
            "没有激活统计量升高十倍（最多的是 {name}，第 {step} 步 {factor} 倍）",
        ),
        _activation_jumps,
    ),
)
