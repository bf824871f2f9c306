"""The charts of a report as JSON objects, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from spikedoc.errors import ReportError
from spikedoc.model.charts import Charts, Curve, Event, EventKind, FoldedCurve, Lane, Stretch
from spikedoc.model.fields import UNEVEN, Fields
from spikedoc.model.metric import Metric
from spikedoc.text import Text

Json = dict[str, Any]


def charts_json(charts: Charts) -> Json:
    """Return the charts as JSON-ready dicts."""
    return {
        "curves": [_curve(curve) for curve in charts.curves],
        "lanes": [_lane(lane) for lane in charts.lanes],
        "folds": [_fold(fold) for fold in charts.folds],
    }


def charts_from(charts: Fields) -> Charts:
    """Return the charts described by parsed JSON; raises ReportError naming the faulty key."""
    return Charts(
        charts.items("curves", _as_curve),
        charts.items("lanes", _as_lane),
        charts.items("folds", _as_fold),
    )


def _numbers(values: Iterable[float]) -> list[float | str]:
    found = map(float, values)
    return [number if math.isfinite(number) else str(number) for number in found]


def _curve(curve: Curve) -> Json:
    return {
        "signal": curve.signal,
        "metric": curve.metric.value,
        "tag": curve.tag,
        "points": int(curve.points),
        "log": bool(curve.log),
        "steps": list(map(int, curve.steps)),
        "values": _numbers(curve.values),
        "nonfinite": [
            {
                "first_step": int(one.first_step),
                "last_step": int(one.last_step),
                "count": int(one.count),
                "points": int(one.points),
            }
            for one in curve.nonfinite
        ],
    }


def _as_curve(curve: Fields) -> Curve:
    steps, values = curve.integer_list("steps"), curve.number_list("values")
    if len(steps) != len(values):
        raise ReportError(UNEVEN, at=curve.where)
    return Curve(
        signal=curve.string("signal"),
        metric=curve.enum("metric", Metric),
        tag=curve.string("tag"),
        points=curve.integer("points"),
        steps=steps,
        values=values,
        nonfinite=curve.items("nonfinite", _as_stretch),
        log=curve.boolean("log"),
    )


def _as_stretch(one: Fields) -> Stretch:
    return Stretch(
        one.integer("first_step"),
        one.integer("last_step"),
        one.integer("count"),
        one.integer("points"),
    )


def _lane(lane: Lane) -> Json:
    return {
        "kind": lane.kind.value,
        "total": int(lane.total),
        "events": [
            {"step": int(event.step), "note": {"en": event.note.en, "zh": event.note.zh}}
            for event in lane.events
        ],
    }


def _as_lane(lane: Fields) -> Lane:
    return Lane(lane.enum("kind", EventKind), lane.integer("total"), lane.items("events", _event))


def _event(event: Fields) -> Event:
    return Event(event.integer("step"), event.text("note"))


def _fold(fold: FoldedCurve) -> Json:
    return {
        "finding": fold.finding,
        "signal": fold.signal,
        "period": float(fold.period),
        "cycles": int(fold.cycles),
        "is_ratio": bool(fold.is_ratio),
        "log": bool(fold.log),
        "phases": _numbers(fold.phases),
        "low": _numbers(fold.low),
        "middle": _numbers(fold.middle),
        "high": _numbers(fold.high),
    }


def _as_fold(fold: Fields) -> FoldedCurve:
    phases, low, middle, high = map(fold.number_list, ("phases", "low", "middle", "high"))
    if len({len(phases), len(low), len(middle), len(high)}) > 1:
        told = Text(
            "phases, low, middle and high differ in length", "phases、low、middle、high 长度不同"
        )
        raise ReportError(told, at=fold.where)
    return FoldedCurve(
        finding=fold.string("finding"),
        signal=fold.string("signal"),
        period=fold.number("period"),
        cycles=fold.integer("cycles"),
        phases=phases,
        low=low,
        middle=middle,
        high=high,
        is_ratio=fold.boolean("is_ratio"),
        log=fold.boolean("log"),
    )
