"""The log of all campaigns: JSON lines, one for each target, way, version and day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

LOG: Final = Path(__file__).with_name("fuzz.jsonl")
PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "threat-model.md"
# Inputs to be tried in all, set beforehand.
GOAL: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What one target was given, and what came of it."""

    target: str
    way: str  # "guided" by coverage, or "blind"
    version: str
    date: str
    first_seed: int
    inputs: int = 0
    read: int = 0  # inputs that were read; the others were refused with a message
    cpu_seconds: float = 0.0
    exceptions: dict[str, int] = field(default_factory=dict)  # "what at file:line" → how often
    seconds_per_byte: float = 0.0  # of the slowest input; one below 1,000 bytes counts as 1,000
    slowest_seconds: float = 0.0
    slowest_bytes: int = 0
    peak_megabytes: float = 0.0

    @property
    def key(self) -> tuple[str, ...]:
        """What entries share that are told as one."""
        return (self.target, self.way, self.version, self.date)

    def plus(self, other: Entry) -> Entry:
        """Return both as one."""
        slowest = max(self, other, key=lambda one: one.seconds_per_byte)
        kinds = {*self.exceptions, *other.exceptions}
        return replace(
            self,
            first_seed=min(self.first_seed, other.first_seed),
            inputs=self.inputs + other.inputs,
            read=self.read + other.read,
            cpu_seconds=round(self.cpu_seconds + other.cpu_seconds, 1),
            exceptions={
                kind: self.exceptions.get(kind, 0) + other.exceptions.get(kind, 0)
                for kind in sorted(kinds)
            },
            seconds_per_byte=slowest.seconds_per_byte,
            slowest_seconds=slowest.slowest_seconds,
            slowest_bytes=slowest.slowest_bytes,
            peak_megabytes=max(self.peak_megabytes, other.peak_megabytes),
        )


def ended(entry: Entry, reason: str) -> Entry:
    """Return what to add to an entry whose process came to an end by itself."""
    exceptions = {f"the process {reason}": 1}
    return replace(entry, inputs=0, read=0, cpu_seconds=0.0, exceptions=exceptions)


def read(log: Path = LOG) -> list[Entry]:
    """Return the entries of a log; none when there is no such file."""
    if not log.exists():
        return []
    with log.open(encoding="utf-8") as lines:
        return [Entry(**json.loads(line)) for line in lines]


def add(entries: Iterable[Entry], log: Path = LOG) -> None:
    """Add entries to a log."""
    merged = merge([*read(log), *entries])
    text = "".join(json.dumps(asdict(entry)) + "\n" for entry in merged)
    log.write_text(text, encoding="utf-8")


def merge(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries of one target, way, version and day as one."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        known = found.get(entry.key)
        found[entry.key] = entry if known is None else known.plus(entry)
    return list(found.values())


def summary(entries: Sequence[Entry]) -> str:
    """Return a Markdown table with a line per target, and the sum."""
    rows = []
    for target in sorted({entry.target for entry in entries}):
        own = [entry for entry in entries if entry.target == target]
        slowest = max(own, key=lambda one: one.seconds_per_byte)
        rows.append(
            f"| {target} | {_sum(own, 'guided'):,} | {_sum(own, 'blind'):,} "
            f"| {sum(e.read for e in own) / max(1, sum(e.inputs for e in own)):.0%} "
            f"| {sum(sum(e.exceptions.values()) for e in own):,} "
            f"| {1e6 * slowest.seconds_per_byte:.0f} | {max(e.peak_megabytes for e in own):.0f} |"
        )
    head = (
        "| target | guided | blind | read | ended otherwise | slowest, µs per byte | peak, MB |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    total = sum(entry.inputs for entry in entries)
    bad = sum(sum(entry.exceptions.values()) for entry in entries)
    dates = sorted({entry.date for entry in entries})
    said = (
        f"{total:,} inputs so far, of the {GOAL:,} that are the goal; {bad:,} of them ended in "
        f"anything but a result or a refusal. First run {dates[0]}, last {dates[-1]}."
    )
    return "\n".join([head, *rows]) + f"\n\n{said}"


def _sum(entries: Sequence[Entry], way: str) -> int:
    return sum(entry.inputs for entry in entries if entry.way == way)
