"""Sentences about anomalies in both languages, from `labels.toml`."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from spikedoc.model.anomaly import Anomaly, Shape
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import spoken
from spikedoc.text import FieldValue, Text, rounded

PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
WIDE_GAP: Final = re.compile("([，：]) ")  # full-width marks bring their own space
PERCENT: Final = 100
SHOWN_DIGITS: Final = 3  # of a ratio or a score: more would feign precision
SHOWN_FACTOR: Final = 0.05  # "1 times" and "0.98 times" tell less than the two levels do
SHOWN_RESIDUAL_PERCENT: Final = 1.0  # below this the loss is back on its trend for any reader
FEWEST_COUNTED: Final = 2  # a single event needs no "1 such events"
# Values a reader looks up in the log keep the digits of Text.fill; other measures are rounded.
LOGGED_VALUES: Final = frozenset(
    {
        "before",
        "after",
        "peak",
        "overshoot",
        "best",
        "last",
        "first",
        "period",
        "phase_border",
        "climbs_to",
        "rises_to",
    }
    | {
        "setting_before",
        "setting_after",
        "reached",
        "end",
        "chance",
        "not_yet",
        "guess",
        "grad_before",
    }
    | {"grad_before", "grad_peak"}
    | {"low", "high"}
)
# A rise that lasts went twice as high on the way: its level alone would hide the event.
RISEN: Final = (Form.UP, Form.FINITE)
OVERSHOOT: Final = 2.0
SPIKES: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)
RISE: Final = ("before", "peak", "factor")
WHOLE_STEPS: Final = frozenset(
    {
        "phase_step",
        "recovered_after_steps",
        "setting_step",
        "setting_first",
        "setting_last",
        "dip_end",
    }
    | {"log_end", "climb_step", "next_step", "last_spike"}
)
# Shares of one that read better as percent, and the names that count the same thing.
AS_PERCENT: Final = {"eta2": "eta2_percent", "share": "share_percent"}
COUNTS: Final = ("count", "cycles", "bursts")

# Which ending of the run the headline names when several anomalies are equally severe: lost runs
# first, then runs that stand at a wrong level, then runs that came back, then side findings.
ENDINGS: Final[tuple[Kind, ...]] = (
    Kind.NONFINITE,
    Kind.DIVERGENCE,
    Kind.NON_CONVERGENCE,
    Kind.LEVEL_SHIFT,
    Kind.SUSTAINED_DRIFT,
    Kind.OSCILLATION,
    Kind.METRIC_DAMAGE,
    Kind.QUALITY_LOSS,
    Kind.OVERFITTING,
    Kind.LOSS_SCALE_COLLAPSE,
    Kind.DIVERSITY_COLLAPSE,
    Kind.UNBOUNDED_GROWTH,
    Kind.PERIODIC_SPIKES,
    Kind.SLOW_RECOVERY,
    Kind.ISOLATED_SPIKE,
)

# How the headline speaks of a series; others go by the name they have in the report.
SUBJECTS: Final = {
    "loss": Text("the loss", "损失"),
    "val_loss": Text("the validation loss", "验证损失"),
}

_UNKNOWN: Final = Text(
    "Too little was logged to judge this run.", "记录的数据太少，无法对这次训练下结论。"
)
_HEALTHY: Final = Text("No fault found in what was logged", "在已记录的数据中没有发现故障")
_NOTES: Final = (
    Text("; one observation below is no alarm", "；下面有 1 条观察，未达到告警"),
    Text("; {count} observations below are no alarms", "；下面有 {count} 条观察，未达到告警"),
)
_OTHERS: Final = (
    Text("; one more finding", "；另有 1 项发现"),
    Text("; {count} more findings", "；另有 {count} 项发现"),
)


@dataclass(frozen=True, slots=True)
class Label:
    """The wording of one anomaly label."""

    title: Text
    meaning: Text
    headline: tuple[Text, ...]  # best first, as below
    summary: tuple[Text, ...]  # best first; the last one needs no measure
    extra: tuple[Text, ...]
    other_title: Mapping[str, Text] = field(default_factory=dict)  # where a measure is known


def meaning(key: str) -> tuple[Text, Text]:
    """Return title and one-line meaning of a label (`kind` or `kind/form`); KeyError if unknown."""
    label = labels()[key]
    return label.title, label.meaning


def title(anomaly: Anomaly) -> Text:
    """Return the title of an anomaly's label, or of what its measures show it to be."""
    label = _label(anomaly)
    told = (text for known, text in label.other_title.items() if known in anomaly.measures)
    return next(told, label.title)


def summarise(anomaly: Anomaly) -> Text:
    """Return what was seen, with the numbers of this anomaly, in one to three sentences."""
    label = _label(anomaly)
    fields = _fields(anomaly)
    sentences = [_first_known(label.summary, fields)]
    sentences += [text.fill(fields) for text in label.extra if _known(text, fields)]
    return Text(" ".join(s.en for s in sentences), "".join(s.zh for s in sentences))


def headline(status: Status, anomalies: Sequence[Anomaly]) -> Text:
    """Return the one sentence that opens a report: how the run ended, or that nothing was found."""
    if status is Status.UNKNOWN:
        return _UNKNOWN
    faults = [anomaly for anomaly in anomalies if anomaly.severity is not Severity.INFO]
    if status is Status.HEALTHY or not faults:
        return _sentence(_HEALTHY, _tail(_NOTES, len(anomalies)))
    worst = min(faults, key=_urgency)
    return _sentence(_opening(worst), _tail(_OTHERS, len(faults) - 1))


@cache
def labels() -> Mapping[str, Label]:
    """Return the wording of every label, keyed by `kind` and `kind/form`."""
    file = resources.files("spikedoc.classifier") / "labels.toml"
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    found: dict[str, Label] = {}
    for key, entry in content.items():  # a kind stands above its forms in the file
        found[key] = _read(entry, found.get(key.partition("/")[0]))
    return found


def _read(entry: Mapping[str, Any], base: Label | None) -> Label:
    return Label(
        title=Text(**entry["title"]),
        meaning=Text(**entry["meaning"]),
        headline=_texts(entry, "headline") or (base.headline if base else ()),
        summary=_texts(entry, "summary") or (base.summary if base else ()),
        extra=_texts(entry, "extra") or (base.extra if base else ()),
        other_title={
            one["known"]: Text(one["en"], one["zh"]) for one in entry.get("other_title", ())
        },
    )


def _texts(entry: Mapping[str, Any], key: str) -> tuple[Text, ...]:
    value = entry.get(key, ())
    return tuple(Text(**text) for text in ([value] if isinstance(value, dict) else value))


def _label(anomaly: Anomaly) -> Label:
    found = labels()
    return found.get(anomaly.label) or found[anomaly.kind.value]


def _urgency(anomaly: Anomaly) -> tuple[int, int, int]:
    place = ENDINGS.index(anomaly.kind) if anomaly.kind in ENDINGS else len(ENDINGS)
    return (-anomaly.severity.rank, place, anomaly.start_step)


def _opening(anomaly: Anomaly) -> Text:
    known = spoken(anomaly.signal)
    subject = SUBJECTS.get(anomaly.signal, Text(known, f" {known} "))
    fields = _fields(anomaly)
    english = _first_known(_label(anomaly).headline, fields | {"subject": subject.en}).en
    chinese = _first_known(_label(anomaly).headline, fields | {"subject": subject.zh}).zh
    # A name from the log keeps its case; only our own article opens a sentence.
    if english.startswith("the "):
        english = f"T{english[1:]}"
    return Text(english, WIDE_GAP.sub(r"\1", chinese).strip())


def _fields(anomaly: Anomaly) -> dict[str, FieldValue]:
    fields: dict[str, FieldValue] = {
        "signal": spoken(anomaly.signal),
        "start_step": anomaly.start_step,
        "peak_step": anomaly.peak_step,
        "end_step": anomaly.end_step,
    }
    measures = _measures(anomaly)
    for d in anomaly.detections:
        if d.shape is Shape.SETTING:
            fields["setting"] = d.signal
            measures |= d.measures
    for name, value in measures.items():
        if name not in fields and _worth_saying(name, value):
            fields[name] = _shown(name, value)
    return fields


def _measures(anomaly: Anomaly) -> dict[str, float]:
    """Return the finite measures, with the names the sentences use beside the detectors' own."""
    known = {name: v for name, v in anomaly.measures.items() if math.isfinite(v)}
    if anomaly.form in RISEN and known.get("peak", 0.0) >= OVERSHOOT * abs(
        known.get("after", math.inf)
    ):
        known["overshoot"] = known["peak"]
    if anomaly.kind in SPIKES and known.get("peak", math.inf) <= known.get("before", -math.inf):
        # Against a trend that falls the peak may lie below the level before: no rise to tell.
        known = {name: v for name, v in known.items() if name not in RISE}
    if "period" in known and round(known.get("phase_step", 1.0)) in {0, round(known["period"])}:
        # "0 steps into the period" is no place a reader looks for.
        known["phase_border"] = known["period"]
        del known["phase_step"]
    for name, percent in AS_PERCENT.items():
        if name in known:
            known[percent] = round(PERCENT * known[name])
    counts = [known[name] for name in COUNTS if name in known]
    return known | {"count": counts[0]} if counts else known


def _shown(name: str, value: float) -> float:
    if name in WHOLE_STEPS:
        return round(value)
    return value if name in LOGGED_VALUES else _rounded(value)


def _worth_saying(name: str, value: float) -> bool:
    if name == "count":
        return value >= FEWEST_COUNTED
    if name == "factor":  # a level of exactly 0 is no multiple of another
        return value > 0 and abs(value - 1.0) >= SHOWN_FACTOR
    return name != "residual_percent" or value >= SHOWN_RESIDUAL_PERCENT


def _rounded(value: float) -> float:
    if value == int(value):
        return value
    return rounded(value, SHOWN_DIGITS)


def _known(text: Text, fields: Mapping[str, FieldValue]) -> bool:
    return all(name in fields for name in PLACEHOLDER.findall(text.en))


def _first_known(variants: Sequence[Text], fields: Mapping[str, FieldValue]) -> Text:
    chosen = next((text for text in variants if _known(text, fields)), variants[-1])
    return chosen.fill(fields)


def _tail(words: tuple[Text, Text], count: int) -> Text:
    if count <= 0:
        return Text("", "")
    return words[min(count, 2) - 1].fill({"count": count})


def _sentence(opening: Text, tail: Text) -> Text:
    return Text(f"{opening.en}{tail.en}.", f"{opening.zh}{tail.zh}。")
