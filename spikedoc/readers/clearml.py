"""ClearML's archive of an offline task: metrics.jsonl in a zip, or that file by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers import _archive
from spikedoc.readers._notes import LOGGED_ANY, UNDECODED_LINES
from spikedoc.readers._numbers import plain
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._settings import setting
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

_METRICS: Final = "metrics.jsonl"
_TASK: Final = "task.json"
_SCALAR: Final = "training_stats_scalar"
_MILLISECONDS: Final = 1000.0
_PLAIN_HEAD: Final = b"[{"
# Sections of the settings that describe the machine's arguments as the user gave them.
_SETTINGS: Final = "hyperparams"

ZERO_FOR_NAN: Final = Text(
    "ClearML writes 0 for NaN and infinite values unless told otherwise",
    "除非另行设置，ClearML 会把 NaN 和无穷值写成 0",
)
NO_SCALARS: Final = Text("a ClearML task without scalars", "ClearML 任务中没有标量")


class ClearmlReader:
    """Reads the scalars and settings of one task."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "clearml"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is ClearML's archive or its file of metrics."""
        if head.startswith(_PLAIN_HEAD):
            return _SCALAR.encode() in head and b'"variant"' in head
        return {_METRICS, _TASK} <= _archive.names(path, head)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per metric and variant; raises InputError when there is none."""
        points, notes = PointsBuilder(), list[Text]()
        config: dict[str, ConfigValue] = {}
        with path.open("rb") as file:
            is_plain = file.read(len(_PLAIN_HEAD)) == _PLAIN_HEAD
            file.seek(0)
            if is_plain:
                longest = _archive.LONGEST_LINE
                _take(iter(lambda: file.readline(longest), b""), points, notes)
        if not is_plain:
            with _archive.opened(path) as archive:
                _take(_archive.lines(archive, _METRICS, notes), points, notes)
                config = _settings(_archive.small(archive, _TASK))
        if progress is not None:
            progress(path.stat().st_size, path.stat().st_size)
        series = points.series()
        if not series:
            raise InputError(path, NO_SCALARS, LOGGED_ANY)
        notes.extend(points.notes())
        if any(bool((one.values == 0).any()) for one in series):
            notes.append(ZERO_FOR_NAN)
        return Table(series, config, notes=tuple(notes), framework="clearml")


def _take(lines: Iterable[bytes], points: PointsBuilder, notes: list[Text]) -> None:
    odd = 0
    for line in lines:
        try:
            events = json.loads(line)
        except (ValueError, RecursionError):
            odd += bool(line.strip())
            continue
        for event in events if isinstance(events, list) else [events]:
            if isinstance(event, dict) and event.get("type") == _SCALAR:
                _add(event, points)
    if odd:
        notes.append(UNDECODED_LINES.fill({"count": odd}))


def _add(event: dict[str, Any], points: PointsBuilder) -> None:
    value, step = plain(event.get("value")), plain(event.get("iter"))
    clock = plain(event.get("timestamp"))
    if value is None or step is None or step != step // 1:
        return
    metric, variant = str(event.get("metric", "")), str(event.get("variant", ""))
    tag = metric if variant in ("", metric) else f"{metric}/{variant}"
    points.add(tag, int(step), value, None if clock is None else clock / _MILLISECONDS)


def _settings(text: bytes) -> dict[str, ConfigValue]:
    try:
        task = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    sections = task.get(_SETTINGS) if isinstance(task, dict) else None
    found: dict[str, ConfigValue] = {}
    for section in sections.values() if isinstance(sections, dict) else ():
        for name, entry in section.items() if isinstance(section, dict) else ():
            value = entry.get("value") if isinstance(entry, dict) else None
            if isinstance(value, str):
                found[name] = setting(value)
    return found


READER: Final[Reader] = ClearmlReader()
