"""Comet's archive of an offline experiment: messages.json in a zip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers import _archive
from spikedoc.readers._notes import LOGGED_ANY
from spikedoc.readers._numbers import plain
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._settings import scalars
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

_MESSAGES: Final = "messages.json"
_ABOUT: Final = "experiment.json"
_MILLISECONDS: Final = 1000.0
# Parameters that Comet logs by itself at every step: counters, no settings.
_COUNTERS: Final = frozenset({"curr_step", "curr_epoch"})
# The part of the training a metric belongs to, where Comet's word is not the usual one.
_CONTEXTS: Final = {"validate": "validation"}
# Comet joins the parts of a nested name by a bar.
_JOINT: Final = "|"

UNDECODED: Final = Text(
    "{count} {count|message|messages} that could not be decoded {count|was|were} left out",
    "{count} 条消息无法解码，已略去",
)
NO_METRICS: Final = Text("a Comet experiment without metrics", "Comet 实验中没有指标")


class CometReader:
    """Reads the metrics and parameters of one experiment."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "comet"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a zip archive with Comet's messages."""
        return {_MESSAGES, _ABOUT} <= _archive.names(path, head)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per metric; raises InputError when there is none."""
        reading = _Reading()
        notes: list[Text] = []
        with _archive.opened(path) as archive:
            for line in _archive.lines(archive, _MESSAGES, notes):
                reading.take(line)
        if progress is not None:
            progress(path.stat().st_size, path.stat().st_size)
        if reading.odd:
            notes.append(UNDECODED.fill({"count": reading.odd}))
        series = reading.points.series()
        if not series:
            raise InputError(path, NO_METRICS, LOGGED_ANY)
        notes.extend(reading.points.notes())
        return Table(series, reading.config, notes=tuple(notes), framework="comet")


class _Reading:
    """What the messages gave so far."""

    def __init__(self) -> None:
        self.points = PointsBuilder()
        self.config: dict[str, ConfigValue] = {}
        self.odd = 0
        self._last_step: dict[str, int] = {}

    def take(self, line: bytes) -> None:
        """Take a message; others than of metrics and parameters are passed over."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self.odd += 1
            return
        payload = message.get("payload", message) if isinstance(message, dict) else None
        if not isinstance(payload, dict):
            return
        metric = payload.get("metric")
        param = payload.get("param") or payload.get("params")  # the latter holds a list
        if isinstance(metric, dict):
            self._add_metric(metric, payload)
        elif isinstance(param, dict):
            self._add_param(param)

    def _add_metric(self, metric: dict[str, Any], payload: dict[str, Any]) -> None:
        tag, value = str(metric.get("metricName", "")), plain(metric.get("metricValue"))
        if value is None:
            return
        context, clock = payload.get("context"), plain(payload.get("local_timestamp"))
        if isinstance(context, str) and context:
            tag = f"{_CONTEXTS.get(context, context)}/{tag}"
        step = plain(metric.get("step"))
        # A metric without a step counts itself.
        place = int(step) if step is not None and abs(step) < 2**53 else self._next(tag)
        self._last_step[tag] = place
        self.points.add(tag, place, value, None if clock is None else clock / _MILLISECONDS)

    def _next(self, tag: str) -> int:
        return self._last_step.get(tag, -1) + 1

    def _add_param(self, param: dict[str, Any]) -> None:
        name = str(param.get("paramName", "")).replace(_JOINT, "/")
        if name not in _COUNTERS:
            self.config.update(scalars({name: param.get("paramValue")}))


READER: Final[Reader] = CometReader()
