"""What the scripts of the page draw, as JSON that cannot end the element it stands in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from markupsafe import Markup

from spikedoc.cleaning import name
from spikedoc.model.charts import Curve, Event, FoldedCurve, Stretch
from spikedoc.model.metric import spoken
from spikedoc.model.report import Finding, Plot, Report
from spikedoc.renderers import markdown
from spikedoc.renderers._html_events import event_lanes
from spikedoc.renderers._html_table import saved_points
from spikedoc.renderers._html_text import ALL_WORDS
from spikedoc.renderers._strings import table
from spikedoc.renderers._wording import label
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language, Text, rounded

Json = dict[str, Any]

# Digits of a value in the page: a screen shows three of them.
DIGITS: Final = 5
# Words that the scripts say; the others stand in the page.
SCRIPT_WORDS: Final = "script"
LANE_WORDS: Final = "lane"

# Inside an element of data `</script` and `<!--` would act; as escapes they are the same JSON.
ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def as_data(value: object) -> Markup:
    """Return JSON for the inside of a `<script type="application/json">`."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(ESCAPES))  # nothing is left in it that could be markup


def page_words() -> Json:
    """Return the words of the scripts by key, in both languages."""
    found = {}
    for key, text in table().items():
        section, _, word = key.partition(".")
        if section == SCRIPT_WORDS:
            found[word] = _text(text)
        elif section == LANE_WORDS:
            found[f"lane_{word}"] = _text(text)
    return found


def run_data(report: Report) -> Json:
    """Return curves, findings, events and folds of one run, and the report as Markdown."""
    return {
        "name": name(report.run.name),
        "curves": _curves(report),
        "findings": [_finding(finding) for finding in report.findings],
        "restarts": [first for first, _ in report.run.segments[1:]],
        "lanes": [
            {"kind": lane.kind, "events": [_event(event) for event in lane.events]}
            for lane in event_lanes(report)
        ],
        "folds": [_fold(fold) for fold in report.charts.folds] if report.charts else [],
        "markdown": {
            language.value: markdown.RENDERER(report, RenderOptions(language))
            for language in Language
        },
    }


def _curves(report: Report) -> list[Json]:
    if report.charts is not None:
        return [_curve(curve) for curve in report.charts.curves]
    return [_saved_curve(report.plot, report)] if report.plot is not None else []


def _curve(curve: Curve) -> Json:
    return {
        "signal": name(spoken(curve.signal)),
        "tag": name(curve.tag),
        "points": curve.points,
        "log": curve.log,
        "steps": _differences(curve.steps),
        "values": [_number(value) for value in curve.values],
        "nonfinite": [[s.first_step, s.last_step, s.count, s.points] for s in curve.nonfinite],
    }


def _saved_curve(plot: Plot, report: Report) -> Json:
    """Return the one curve that every report holds."""
    both = saved_points(plot)
    finite = [(step, value) for step, value in both if math.isfinite(value)]
    known = report.run.signals.get(plot.signal)
    steps, values = tuple(step for step, _ in finite), tuple(value for _, value in finite)
    return {
        "signal": name(spoken(plot.signal)),
        "tag": name(known.tag if known else plot.signal),
        "points": known.points if known else len(both),
        "log": plot.log,
        "steps": _differences(steps),
        "values": [_number(value) for value in values],
        "nonfinite": [[s.first_step, s.last_step, s.count, s.points] for s in _lost(both)],
    }


def _lost(points: Sequence[tuple[int, float]]) -> list[Stretch]:
    """Return the stretches of neighbouring points that are not finite."""
    found: list[list[int]] = []
    was_lost = False
    for step, value in points:
        lost = not math.isfinite(value)
        if lost and was_lost:
            found[-1].append(step)
        elif lost:
            found.append([step])
        was_lost = lost
    return [Stretch(steps[0], steps[-1], len(steps), len(steps)) for steps in found]


def _finding(finding: Finding) -> Json:
    anomaly = finding.anomaly
    title = Text(*(label(finding, words) for words in ALL_WORDS))
    return {
        "id": name(finding.id),
        "signal": name(spoken(anomaly.signal)),
        "severity": anomaly.severity.value,
        "start": anomaly.start_step,
        "peak": anomaly.peak_step,
        "end": anomaly.end_step,
        "title": _text(title),
    }


def _event(event: Event) -> list[int | str]:
    """Return step and note, the Chinese one only where it differs."""
    note = event.note
    return [event.step, note.en] if note.en == note.zh else [event.step, note.en, note.zh]


def _fold(fold: FoldedCurve) -> Json:
    return {
        "finding": name(fold.finding),
        "signal": name(spoken(fold.signal)),
        "period": _number(fold.period),
        "log": fold.log,
        "phases": [_number(value) for value in fold.phases],
        "low": [_number(value) for value in fold.low],
        "middle": [_number(value) for value in fold.middle],
        "high": [_number(value) for value in fold.high],
    }


def _differences(steps: Iterable[int]) -> list[int]:
    """Return the first step, then the way from each to the next: shorter to write."""
    before, out = 0, []
    for step in steps:
        out.append(step - before)
        before = step
    return out


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = rounded(value, DIGITS)
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _text(text: Text) -> Json:
    return {"en": text.en, "zh": text.zh}
