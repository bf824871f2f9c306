"""What a comparison says, part by part, before it is laid out for a terminal or a page."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from spikedoc.cleaning import name
from spikedoc.comparison.result import (
    Comparison,
    Outcome,
    RunSummary,
    SignalDifference,
    TimeToLoss,
)
from spikedoc.model.label import Status
from spikedoc.model.run import ConfigValue
from spikedoc.text import FieldValue, Language, Text, format_value

# Signals whose rows are shown; the JSON holds all.
MOST_SIGNALS: Final = 16
MOST_FINDINGS: Final = 3
NOTHING: Final = "–"
# A signal that scatters by less was smoothed or printed short: in units of that nothing compares.
LEAST_NOISE: Final = 1e-4
# Further apart the distance in noise says no more than this.
MOST_UNITS: Final = 999.0
# The colour of each outcome: that of a status.
STATUS: Final = {
    Outcome.IDENTICAL: Status.HEALTHY,
    Outcome.TOGETHER: Status.HEALTHY,
    Outcome.PARTED: Status.WARNING,
    Outcome.UNDECIDED: Status.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as plain text; the first row is the heading."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with a table, sentences (code between backticks), or both."""

    heading: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None


class Words:
    """The labels in one language."""

    def __init__(self, language: Language) -> None:
        """Keep the language."""
        self.language = language

    def __call__(self, key: str, **values: FieldValue) -> str:
        """Return a label with its fields filled."""
        return _labels()[key].fill(values).get(self.language)

    def of(self, text: Text) -> str:
        """Return a text in this language."""
        return text.get(self.language)


@cache
def _labels() -> dict[str, Text]:
    file = resources.files("spikedoc.comparison.formats") / "_words.toml"
    return dict(_flat("", tomllib.loads(file.read_text(encoding="utf-8"))))


def _flat(prefix: str, entries: dict[str, Any]) -> Iterator[tuple[str, Text]]:
    for key, entry in entries.items():
        if isinstance(entry.get("en"), str):
            yield f"{prefix}{key}", Text(entry["en"], entry["zh"])
        else:
            yield from _flat(f"{key}.", entry)


def run_line(run: RunSummary, words: Words) -> str:
    """Return one of the runs on a line."""
    key = "stretch" if run.is_stretch else "runs"
    return words(
        key, name=name(run.name), status=words(run.status.value),
        first=run.first_step, last=run.last_step, points=run.points,
    )  # fmt: skip


def parts(comparison: Comparison, words: Words) -> list[Part]:
    """Return all parts that have something to say, the answer to a replay first."""
    follows = [words.of(text) for text in comparison.statements]
    if comparison.time_to_loss is not None:
        follows.append(_time(comparison.time_to_loss, words))
    found = [
        Part(words("heading.replay"), _replay(comparison, words)),
        Part(words("heading.signals"), (), _signals(comparison, words)),
        Part(words("heading.courses"), (), _courses(comparison, words)),
        Part(words("heading.follows"), tuple(follows)),
        Part(words("heading.settings"), (), _settings(comparison, words)),
        Part(words("heading.findings"), tuple(_findings(comparison, words))),
        Part(words("heading.unknown"), tuple(words.of(text) for text in comparison.warnings)),
    ]
    return [part for part in found if part.sentences or part.table]


def _time(time: TimeToLoss, words: Words) -> str:
    a, b = time.seconds
    spent = "" if a is None or b is None else words("seconds", a=f"{a:.0f}", b=f"{b:.0f}")
    return words(
        "time", signal=name(time.signal), target=time.target, a=time.steps[0], b=time.steps[1],
        ratio=f"{time.ratio:.2g}", seconds=spent,
    )  # fmt: skip


def _replay(comparison: Comparison, words: Words) -> tuple[str, ...]:
    replay = comparison.replay
    if replay is None:
        return ()
    change = words(replay.change.value)
    return (
        words.of(replay.reason),
        words("change", change=change, how=words(f"source.{replay.source.value}")),
        words("proves", text=words.of(replay.proves)),
        words("proves_not", text=words.of(replay.proves_not)),
        words("next", text=words.of(replay.next)),
    )


def _signals(comparison: Comparison, words: Words) -> Table | None:
    if not comparison.signals:
        return None
    columns = ("signal", "parts", "a", "b", "units", "same")
    head = tuple(words(f"column.{column}") for column in columns)
    rows = [_row(signal, words) for signal in comparison.signals[:MOST_SIGNALS]]
    return Table((head, *rows))


def _courses(comparison: Comparison, words: Words) -> Table | None:
    """Return noise and slope of the signals that have any."""
    columns = ("signal", "noise_a", "noise_b", "slope_a", "slope_b")
    rows = [
        (
            name(signal.name),
            _noise(signal.a.noise, signal),
            _noise(signal.b.noise, signal),
            number(signal.a.slope, 2),
            number(signal.b.slope, 2),
        )
        for signal in comparison.signals[:MOST_SIGNALS]
        if not math.isnan(signal.units)
    ]
    return Table((tuple(words(f"column.{column}") for column in columns), *rows)) if rows else None


def _row(signal: SignalDifference, words: Words) -> tuple[str, ...]:
    if signal.is_identical:
        same = words("all")
    else:
        same = NOTHING if signal.identical_until is None else str(signal.identical_until)
    return (
        name(signal.name),
        str(signal.parting.step) if signal.parting else NOTHING,
        number(signal.a.level),
        number(signal.b.level),
        _units(signal.units),
        same,
    )


def number(value: float, digits: int = 4) -> str:
    """Return a number short enough for a cell."""
    return NOTHING if math.isnan(value) else f"{value:.{digits}g}"


def _units(units: float) -> str:
    if math.isnan(units):
        return NOTHING
    if abs(units) > MOST_UNITS:
        return f"> +{MOST_UNITS:g}" if units > 0 else f"< -{MOST_UNITS:g}"
    return f"{units:+.2f}"


def _noise(noise: float, signal: SignalDifference) -> str:
    if math.isnan(noise):
        return NOTHING
    if signal.relative and noise < LEAST_NOISE:
        return f"< {100 * LEAST_NOISE:g} %"
    return f"{100 * noise:.2g} %" if signal.relative else f"{noise:.2g}"


def _settings(comparison: Comparison, words: Words) -> Table | None:
    if not comparison.settings:
        return None
    rows = [(name(one.key), _setting(one.a), _setting(one.b)) for one in comparison.settings]
    return Table(((words("column.setting"), "A", "B"), *rows))


def _setting(value: ConfigValue) -> str:
    return name(str(value)) if isinstance(value, bool | str) else format_value(value)


def _findings(comparison: Comparison, words: Words) -> Iterator[str]:
    for side, run in (("A", comparison.a), ("B", comparison.b)):
        for event in run.events[:MOST_FINDINGS]:
            yield words("finding", side=side, step=event.step, text=words.of(event.summary))
