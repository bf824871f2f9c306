"""Runs made of arrays, and a way to ask one probe about one anomaly of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import spikedoc.evidence
from spikedoc.evidence.base import Case, Probe
from spikedoc.model.anomaly import Anomaly, Detection
from spikedoc.model.evidence import Evidence
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.plugins import discover

Values = Any

PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probes in discover(spikedoc.evidence, "PROBES").values()
    for probe in probes
}


def make_series(
    metric: Metric, values: Values, tag: str = "", rank: int | None = None, stride: int = 1
) -> Series:
    """Return a series at steps 1, 1 + stride ...; a pair gives steps and values."""
    if isinstance(values, tuple):
        steps, data = values
    else:
        data = np.asarray(values, dtype=np.float64)
        steps = 1 + stride * np.arange(data.size)
    name = metric.value + (f":{tag}" if tag else "") + ("" if rank is None else f"_rank{rank}")
    return Series(
        metric,
        name,
        tag or metric.value,
        np.asarray(steps, dtype=np.int64),
        np.array(data, dtype=np.float64),
        None,
        rank,
    )


def make_run(
    *,
    config: Mapping[str, Any] | None = None,
    restarts: Sequence[Restart] = (),
    ranks: Mapping[int, Values] | None = None,
    components: Mapping[str, Values] | None = None,
    layers: Mapping[str, Values] | None = None,
    extra: Mapping[str, Values] | None = None,
    tags: Mapping[str, str] | None = None,
    events: Sequence[tuple[int | None, str]] = (),
    stride: int = 1,
    **series: Values,
) -> Run:
    """Return a run; keyword names are metrics (`loss=...`, `grad_norm=...`)."""
    tags = tags or {}
    parts = [
        make_series(Metric(name), values, tags.get(name, ""), None, stride)
        for name, values in series.items()
    ]
    # The main series of a role carries the role's plain name, as ingest gives it.
    parts = [
        Series(s.metric, s.metric.value, s.tag, s.steps, s.values, s.wall_times, s.rank)
        for s in parts
    ]
    for rank, values in (ranks or {}).items():
        parts.append(make_series(Metric.GRAD_NORM, values, "", rank, stride))
    many = {
        Metric.LOSS_COMPONENT: components,
        Metric.LAYER_GRAD_NORM: layers,
        Metric.OTHER: extra,
    }
    for metric, named in many.items():
        for tag, values in (named or {}).items():
            parts.append(make_series(metric, values, tag, None, stride))
    return Run(
        "made",
        "made",
        tuple(parts),
        tuple(restarts),
        dict(config or {}),
        events=tuple(events),
    )


@pytest.fixture
def ask() -> Callable[..., Evidence]:
    """Ask a probe: `ask(name, kind, start, peak, end, form=, measures=, others=, **run parts)`.

    `detections` are those behind the anomaly.
    """

    def ask_probe(
        name: str,
        kind: Kind,
        start: int,
        peak: int | None = None,
        end: int | None = None,
        *,
        form: Form | None = None,
        signal: str = "loss",
        measures: Mapping[str, float] | None = None,
        others: Sequence[Anomaly] = (),
        detections: Sequence[Detection] = (),
        **parts: Any,
    ) -> Evidence:
        peak = start if peak is None else peak
        end = peak if end is None else end
        seen, told = tuple(detections), dict(measures or {})
        anomaly = Anomaly(kind, Severity.WARNING, 0.9, signal, start, peak, end, form, told, seen)
        return PROBES[name].answer(Case(make_run(**parts), anomaly, (anomaly, *others)))

    return ask_probe


@pytest.fixture
def falling() -> np.ndarray:
    """A healthy loss: 1000 steps from 2.3 to .3 with 10 % noise."""
    steps = np.arange(1000)
    noise = np.random.default_rng(7).normal(0, 0.1, steps.size)
    return (2.0 * np.exp(-steps / 150) + 0.3) * np.exp(noise)


@pytest.fixture
def steady() -> np.ndarray:
    """A norm around 1 with 10 % noise over 1000 steps."""
    return np.exp(np.random.default_rng(8).normal(0, 0.1, 1000))
