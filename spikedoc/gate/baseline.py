"""Findings that are known: only new ones turn the gate red."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import NOT_A_FILE, UsageError
from spikedoc.model.anomaly import Anomaly
from spikedoc.text import Text

SCHEMA: Final = "spikedoc-baseline/1"
DIGITS: Final = 16
MAX_BYTES: Final = 50_000_000

MISSING: Final = Text(
    "no such baseline (write it with --write-baseline)", "没有该基线（用 --write-baseline 写出）"
)
FOREIGN: Final = Text(f"not a baseline of spikedoc ({SCHEMA})", f"不是 spikedoc 的基线（{SCHEMA}）")


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding that is known, and until when; the words beside it are for people."""

    fingerprint: str
    run: str
    label: str
    signal: str
    until: date | None = None


def fingerprint(run: str, anomaly: Anomaly) -> str:
    """Return what names a finding from run to run: run, label and signal, but no value or step."""
    words = "\0".join((run, anomaly.label, anomaly.signal))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def load(file: Path) -> tuple[Entry, ...]:
    """Return the entries of a baseline file; UsageError when it is none."""
    try:
        if file.exists() and not file.is_file():
            raise UsageError(NOT_A_FILE, at=file)
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(Text("too large for a baseline", "太大，不是基线"), at=file)
        content = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise UsageError(MISSING, at=file) from None
    except (OSError, ValueError, RecursionError) as error:
        told = Text(f"cannot be read as a baseline ({error})", f"无法按基线读取（{error}）")
        raise UsageError(told, at=file) from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise UsageError(FOREIGN, at=file)
    entries = content.get("entries")
    if not isinstance(entries, list):
        raise UsageError(Text("expected a list", "应为列表"), at=f"{file}: entries")
    return tuple(_entry(raw, f"{file}: entry {i}") for i, raw in enumerate(entries, 1))


def _entry(raw: Any, where: str) -> Entry:
    if not isinstance(raw, dict) or not isinstance(raw.get("fingerprint"), str):
        raise UsageError(Text("no fingerprint", "没有 fingerprint"), at=where)
    words = {key: str(raw.get(key, "")) for key in ("fingerprint", "run", "label", "signal")}
    until = raw.get("until")
    try:
        return Entry(**words, until=None if until is None else date.fromisoformat(until))
    except (TypeError, ValueError):
        told = Text("expected a date such as 2030-12-31", "应为日期，例如 2030-12-31")
        raise UsageError(told, at=f"{where}: until") from None


def dump(entries: Iterable[Entry]) -> str:
    """Return the text of a baseline file, one entry per finding, in a steady order."""
    unique = {entry.fingerprint: entry for entry in entries}
    rows = sorted(unique.values(), key=lambda e: (e.run, e.label, e.signal, e.fingerprint))
    return (
        json.dumps(
            {"schema": SCHEMA, "entries": [_row(entry) for entry in rows]},
            indent=2,
            ensure_ascii=True,
        )
        + "\n"
    )


def _row(entry: Entry) -> dict[str, str]:
    row = {
        "fingerprint": entry.fingerprint,
        "run": entry.run,
        "label": entry.label,
        "signal": entry.signal,
    }
    return row if entry.until is None else row | {"until": entry.until.isoformat()}


def current(entries: Sequence[Entry], today: date) -> dict[str, Entry]:
    """Return the entries still in force, by fingerprint."""
    return {e.fingerprint: e for e in entries if e.until is None or e.until >= today}


def stale(
    entries: Sequence[Entry], seen: set[str], runs: set[str], today: date
) -> tuple[Entry, ...]:
    """Return the entries out of date, and those of a run in `runs` that no longer occur."""
    return tuple(
        e
        for e in entries
        if (e.until is not None and e.until < today)
        or (e.run in runs and e.fingerprint not in seen)
    )
