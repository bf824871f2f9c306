"""trainer_state.json of the Hugging Face Trainer and of tools built on it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.model.run import ConfigValue
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._json_rows import flatten, numeric
from spikedoc.readers._memory import refuse_whole
from spikedoc.readers._notes import SUMMARY_ROW
from spikedoc.readers._numbers import plain
from spikedoc.readers._sniff import decode, first_char
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

_KEY: Final = '"log_history"'
# Only the closing row of a training has it.
SUMMARY_KEY: Final = "train_runtime"
# Field of the file → canonical key.
_CONFIG_KEYS: Final = {
    "max_steps": "total_steps",
    "num_train_epochs": "epochs",
    "logging_steps": "logging_every",
    "save_steps": "save_every",
    "eval_steps": "eval_every",
    "train_batch_size": "batch_size",
}
# Relative distance from a whole number within which steps per epoch are taken as whole: the epoch
# is printed with four decimals.
WHOLE_TOLERANCE: Final = 2e-3

DAMAGED: Final = Text(
    "the file is damaged or cut short; entries before that were kept",
    "文件已损坏或不完整，损坏处之前的记录已保留",
)
TOO_DEEP: Final = Text(
    "an entry is nested too deeply to be read; entries before it were kept",
    "有一条记录嵌套过深，无法读取；其前的记录已保留",
)
TOO_LARGE: Final = Text("trainer_state.json of more than 2 GB", "trainer_state.json 超过 2 GB")
STOPPED_EARLY: Final = Text("the run stopped before the first log", "训练在第一次记录之前就停止了")
EMPTY_HISTORY: Final = Text("log_history is empty", "log_history 为空")


class TrainerStateReader:
    """Reads `log_history`: one row per logging call, evaluation rows between them."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "trainer_state"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the name tells nothing
        """Return whether `head` is an object with a `log_history`."""
        return first_char(head) == "{" and _KEY.encode() in head

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return one series per key of the history.

        Raises InputError for an empty history, and for one that may take more than the memory.
        """
        size = path.stat().st_size
        refuse_whole(path, memory)
        state, notes = _load(decode(path.read_bytes()))
        table = history_table(state)
        if progress is not None:
            progress(size, size)
        if not table.series and TOO_DEEP in notes:
            raise InputError(path, TOO_DEEP)
        if not table.series:
            raise InputError(path, EMPTY_HISTORY, STOPPED_EARLY)
        return replace(table, notes=(*notes, *table.notes))


def history_table(state: Mapping[str, Any]) -> Table:
    """Return one series per key of `state["log_history"]`, none when that holds no numbers."""
    builder, summaries, notes = ColumnsBuilder(), 0, list[Text]()
    history = state.get("log_history")
    for entry in history if isinstance(history, list) else []:
        if not isinstance(entry, dict):
            continue
        if SUMMARY_KEY in entry:
            summaries += 1
            continue
        builder.add(numeric(flatten(entry)))
    series, axis_notes = builder.series()
    if summaries:
        notes.append(SUMMARY_ROW)
    has_evaluation = any(one.tag.startswith("eval_") for one in series)
    config = _config(state, _end_of(builder), has_evaluation)
    return Table(series, config, notes=(*notes, *axis_notes), framework="hf")


def _load(text: str) -> tuple[dict[str, Any], list[Text]]:
    try:
        state = json.loads(text)
    except ValueError:
        return {"log_history": _entries(text)}, [DAMAGED]
    except RecursionError:
        return {"log_history": _entries(text)}, [TOO_DEEP]
    return (state if isinstance(state, dict) else {}), []


def _entries(text: str) -> list[Any]:
    """Entries of a history that ends in the middle."""
    decoder, entries = json.JSONDecoder(), []
    place = text.find("{", text.find(_KEY) + len(_KEY))
    while place >= 0:
        try:
            entry, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        entries.append(entry)
        place = text.find("{", end)
    return entries


def _end_of(builder: ColumnsBuilder) -> tuple[float, float] | None:
    """The last row's step and epoch, None when the rows lack one of them."""
    columns = builder.columns()
    step, epoch = columns.get("step"), columns.get("epoch")
    if step is None or epoch is None or not step.values.size or not epoch.values.size:
        return None
    return float(step.values[-1]), float(epoch.values[-1])


def _config(
    state: Mapping[str, Any], end: tuple[float, float] | None, has_evaluation: bool
) -> dict[str, ConfigValue]:
    config: dict[str, ConfigValue] = {"framework": "hf"}
    for key, name in _CONFIG_KEYS.items():
        value = plain(state.get(key))
        if value is not None and 0 < value < math.inf and (name != "eval_every" or has_evaluation):
            config[name] = int(value) if value == int(value) else value
    exact = plain(state.get("global_step")), plain(state.get("epoch"))
    for step, epoch in (exact, end or (None, None)):
        if step and epoch and step > 0 and epoch > 0:
            per_epoch = step / epoch
            if not math.isfinite(per_epoch):
                continue
            if abs(per_epoch / max(1, round(per_epoch)) - 1) < WHOLE_TOLERANCE:
                config["steps_per_epoch"] = max(1, round(per_epoch))
                break
    return config


READER: Final[Reader] = TrainerStateReader()
