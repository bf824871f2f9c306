"""Runs with a known answer: the sample logs, and folders of the same kind given by a path.

Three layouts are known. `NAME/case.toml` beside `NAME/run/` is that of `sample_logs`.
`NAME/truth.json` beside `NAME/run/` holds what was done to a training and what it shows.
`manifest.jsonl` with one object per entry labels logs whose cause nobody knows.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

VOCABULARIES: Final = Path(__file__).with_name("vocabularies.toml")
SAMPLE_LOGS: Final = Path(__file__).resolve().parent.parent / "sample_logs"
# Labels that say "no verdict is possible" or "nothing is wrong", not what is to be seen.
NO_KIND: Final = frozenset({"healthy", "no_loss", "too_short", "empty", "unreadable"})

Names = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A log and what is known of it, in spikedoc's words."""

    name: str
    fault: str  # shared by runs that differ in the seed only
    path: Path
    is_healthy: bool  # an alarm is a false alarm
    must_alarm: bool  # silence is a miss
    kinds: frozenset[str] = frozenset()  # each an acceptable name of what is to be seen
    causes: frozenset[str] = frozenset()  # each an acceptable cause; empty when unknown


def vocabulary(name: str) -> Mapping[str, Names]:
    """Return the tables of one tool or data set: {"kinds": {its word: spikedoc's words}, …}."""
    tables = tomllib.loads(VOCABULARIES.read_text(encoding="utf-8"))[name]
    return {
        table: {word: frozenset(meant) for word, meant in words.items()}
        for table, words in tables.items()
    }


def translated(words: Iterable[str], names: Names) -> frozenset[str]:
    """Return spikedoc's words for those of a data set; raises KeyError for an unknown one."""
    return frozenset().union(*(names[word] for word in words))


def labelled(folder: Path) -> list[Labelled]:
    """Return the labelled runs under `folder`, by name; raises ValueError when there are none."""
    if (folder / "manifest.jsonl").exists():
        found = list(_of_manifest(folder))
    elif any(folder.glob("*/truth.json")):
        found = list(_of_truths(folder))
    else:
        found = [_of_case(path) for path in sorted(folder.glob("*/case.toml"))]
    if not found:
        raise ValueError(f"{folder}: no case.toml, truth.json or manifest.jsonl in it")
    return found


def _of_case(path: Path) -> Labelled:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    kinds = {kind for find in case.get("finds", ()) for kind in _many(find["kind"])}
    return Labelled(
        name=path.parent.name,
        fault=path.parent.name,
        path=path.parent / "run",
        is_healthy=case["healthy"],
        must_alarm=not case["healthy"] and "healthy" not in _many(case["status"]),
        kinds=frozenset(kinds),
        causes=frozenset({*case.get("first", ()), *case.get("within", {})}),
    )


def _many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _of_truths(folder: Path) -> Iterator[Labelled]:
    names = vocabulary("trainings")
    for path in sorted(folder.glob("*/truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        needed = [one for one in truth["anomalies"] if one["required"]]
        words = {word for one in needed for word in (one["kind"], *one["alt_kinds"])}
        yield Labelled(
            name=path.parent.name,
            fault=truth["name"],
            path=path.parent / "run",
            is_healthy=truth["healthy"],
            must_alarm=not truth["healthy"] and not truth["not_visible"],
            kinds=translated(words, names["kinds"]),
            causes=translated(truth["causes_ok"], names["causes"]),
        )


def _of_manifest(folder: Path) -> Iterator[Labelled]:
    names = vocabulary("public_logs")
    entries: list[dict[str, Any]] = [
        json.loads(line)
        for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    for entry in entries:
        if entry["label"] == "no_signal" or not (folder / entry["id"]).exists():
            continue
        words = {one["kind"] for one in entry["anomalies"]} - NO_KIND
        is_quiet = entry["severity"] in ("none", "info")
        yield Labelled(
            name=entry["id"],
            fault=entry["id"],
            path=folder / entry["id"],
            is_healthy=is_quiet,
            must_alarm=not is_quiet,
            kinds=translated(words, names["kinds"]),
        )
