"""What is kept of a run: one line of the store, short enough for a million of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np

from spikedoc.coincidence.trace import Trace, trace_of
from spikedoc.fleet.traces import kept, trace_from
from spikedoc.model.label import Severity
from spikedoc.model.report import Report
from spikedoc.model.run import Run
from spikedoc.redaction import redacted_name
from spikedoc.version import VERSION

SCHEMA: Final = "spikedoc-scan/1"
# Findings and causes kept of a run, the gravest and the likeliest first.
MOST_FINDINGS: Final = 20
MOST_CAUSES: Final = 5
SCORE_DIGITS: Final = 4
# SQLite keeps no larger one.
LARGEST_INTEGER: Final = 2**63 - 1
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
}


class State(StrEnum):
    """How a place came out: the status of its run, or why there is none."""

    CRITICAL = "critical"
    WARNING = "warning"
    UNKNOWN = "unknown"
    HEALTHY = "healthy"
    UNREADABLE = "unreadable"  # the logs are damaged beyond reading
    FAILED = "failed"  # spikedoc failed, was killed or ran out of time on it
    NO_RUN = "no-run"  # logs, but without any known quantity


JUDGED: Final = (State.CRITICAL, State.WARNING, State.HEALTHY)
RUNS: Final = (State.CRITICAL, State.WARNING, State.UNKNOWN, State.HEALTHY)


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding, in the words of the report."""

    kind: str
    form: str | None
    severity: str
    signal: str
    start_step: int


# Path of a place that is the root itself.
HERE: Final = "."


@dataclass(frozen=True, slots=True)
class Blamed:
    """A cause, in the words of the report."""

    rule: str
    cause: str
    score: float


@dataclass(frozen=True, slots=True)
class Record:
    """One run of a place, or what became of a place without one."""

    root: str  # as the user gave it
    path: str  # of the place below the root
    key: str  # of what was read, and with what
    status: State
    part: int = 1  # of the runs in this place …
    parts: int = 1  # … and how many there are
    run: str = ""
    findings: tuple[Seen, ...] = ()
    causes: tuple[Blamed, ...] = ()
    points: int = 0  # logged values, all series
    first_step: int | None = None
    last_step: int | None = None
    first_time: float | None = None  # seconds since 1970, as logged
    last_time: float | None = None
    bytes: int = 0
    modified: float | None = None  # of the newest file, seconds since 1970
    error: str | None = None
    error_zh: str | None = None  # the same in Chinese; None in stores of older versions
    report: str | None = None  # file name of its page
    folders: tuple[str, ...] = ()  # below the root, where the place has more than one
    spikes: Trace | None = None  # to be weighed with those of other runs; None without any
    seconds: float = field(default=0.0, compare=False)  # of the whole place

    def __post_init__(self) -> None:
        """Take out secrets and home folders: a store is passed around."""
        for name in ("root", "path", "run", "error", "error_zh"):
            text = getattr(self, name)
            if text:
                object.__setattr__(self, name, redacted_name(text))
        if self.folders:
            object.__setattr__(self, "folders", tuple(map(redacted_name, self.folders)))

    @property
    def time(self) -> float | None:
        """When the run was active last: by its own clock, else by its files."""
        return self.modified if self.last_time is None else self.last_time

    @property
    def project(self) -> str:
        """The first folder below the root; `HERE` where the place is the root or right in it."""
        first, slash, _ = self.path.partition("/")
        return first if slash else HERE

    def is_found(self, fail_on: Severity) -> bool:
        """Return whether there is a finding of this severity or worse."""
        return any(Severity(seen.severity).rank >= fail_on.rank for seen in self.findings)


def to_line(record: Record) -> str:
    """Return the record as a line of JSON."""
    values = {"schema": SCHEMA, "spikedoc": VERSION, **asdict(record)}
    return json.dumps(values, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def from_line(line: str) -> Record | None:
    """Return the record in a line of JSON; None when the line holds none."""
    try:
        values = json.loads(line)
        if not isinstance(values, dict) or values.pop("schema", None) != SCHEMA:
            return None
        values.pop("spikedoc", None)
        return _record(values)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def _record(values: dict[str, Any]) -> Record:
    seen = tuple(Seen(**_typed(Seen, one)) for one in values.pop("findings"))
    blamed = tuple(Blamed(**_typed(Blamed, one)) for one in values.pop("causes"))
    known = {name: values[name] for name in values.keys() & Record.__dataclass_fields__.keys()}
    known["status"] = State(known["status"])
    known["folders"] = _names(known.get("folders", []))
    known["spikes"] = trace_from(known.get("spikes"))
    for one in seen:
        Severity(one.severity)
    record = Record(**_typed(Record, known), findings=seen, causes=blamed)
    if not 1 <= record.part <= record.parts:
        raise ValueError("part of parts")
    return record


def _names(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError("folders")
    return tuple(values)


@dataclass(frozen=True, slots=True)
class _Field:
    """What a field must hold, looked up once: a store may have a million records."""

    kind: str
    as_it_is: frozenset[type]  # types that pass without a look at the value


def _fields(kind: type[Any]) -> dict[str, _Field]:
    """Return the fields of `kind` that hold plain types, by name."""
    found = {}
    for key, annotation in kind.__annotations__.items():
        wanted, _, optional = annotation.partition(" | ")
        if wanted in _KINDS:
            passes = [str] if wanted == "str" else []
            found[key] = _Field(wanted, frozenset([*passes, type(None)] if optional else passes))
    return found


_FIELDS: Final = {kind: _fields(kind) for kind in (Seen, Blamed, Record)}


def _typed(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the fields of `kind`; raises TypeError or ValueError for a wrong one.

    A store may come from anywhere: what is computed, sorted and shown later relies on the types.
    """
    if not isinstance(values, dict):
        raise TypeError(kind.__name__)
    fields, found = _FIELDS[kind], dict(values)
    for key, value in values.items():
        field_ = fields.get(key)
        if field_ is not None and type(value) not in field_.as_it_is:
            found[key] = _number(field_.kind, value)
    return found


def _number(wanted: str, value: Any) -> int | float:
    """Return the value of a field of numbers, a float where one is wanted."""
    if type(value) not in _KINDS[wanted] or wanted == "str":  # a bool is no int here
        raise TypeError(wanted)
    if type(value) is int and abs(value) > LARGEST_INTEGER:
        raise ValueError("integer")
    if wanted == "int":
        return int(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("number")
    return number


def record_of(run: Run, report: Report, place: Mapping[str, Any]) -> Record:
    """Return what is kept of a run; `place` holds the fields that say where it is."""
    times = [one.wall_times for one in run.series if one.wall_times is not None]
    known = [one[np.isfinite(one)] for one in times]
    walls = [one for one in known if one.size]
    return Record(
        **place,
        status=State(report.status.value),
        run=run.name,
        findings=_findings(report),
        causes=tuple(
            Blamed(one.rule.code, one.rule.cause, round(one.score, SCORE_DIGITS))
            for one in report.causes[:MOST_CAUSES]
        ),
        points=sum(len(one) for one in run.series),
        first_step=run.first_step if run.series else None,
        last_step=run.last_step if run.series else None,
        first_time=min((float(one.min()) for one in walls), default=None),
        last_time=max((float(one.max()) for one in walls), default=None),
        spikes=kept(trace_of(run, report)),
    )


def _findings(report: Report) -> tuple[Seen, ...]:
    anomalies = [one.anomaly for one in report.findings]
    anomalies.sort(key=lambda anomaly: -anomaly.severity.rank)  # stable: the order of the report
    return tuple(
        Seen(
            one.kind.value,
            one.form.value if one.form is not None else None,
            one.severity.value,
            one.signal,
            int(one.start_step),
        )
        for one in anomalies[:MOST_FINDINGS]
    )
