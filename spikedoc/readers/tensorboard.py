"""TensorBoard event files of TensorFlow, Keras, PyTorch and tensorboardX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.model.run import ConfigValue
from spikedoc.readers import _crc32c
from spikedoc.readers._event_damage import Damage
from spikedoc.readers._event_frames import frames
from spikedoc.readers._event_pattern import HEADER
from spikedoc.readers._event_points import Collected
from spikedoc.readers._event_proto import TextValue
from spikedoc.readers._event_scalars import Collector
from spikedoc.readers._memory import points_in
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# First field of an event: wall time or file version.
_FIRST_KEYS: Final = (0x09, 0x1A)
NAME_PART: Final = "tfevents"
_HINT: Final = Text(
    "the job stopped before it logged, or the writer was never flushed",
    "作业在记录之前就停止了，或写入器从未刷新",
)

NO_RECORD: Final = Text(
    "no valid record: not an event file, or destroyed", "没有有效记录：不是事件文件，或已损毁"
)
NO_SCALARS: Final = Text(
    "event file without scalars ({count} {count|record|records})",
    "事件文件中没有标量（共 {count} 条记录）",
)


class TensorboardReader:
    """Reads scalars, and configuration from text and hparams records; skips everything else."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "tensorboard"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether `head` starts with a valid record of an event, or the name says so."""
        if NAME_PART in path.name:
            return True
        if len(head) <= HEADER or head[HEADER] not in _FIRST_KEYS:
            return False
        return _crc32c.of_bytes(head[:8]) == int.from_bytes(head[8:HEADER], "little")

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return one series per tag, in file order.

        Tags that are logged one right after the other at a step have one time, that of the first.
        Checksums are verified; behind a damaged place reading goes on at the next valid record.
        Raises InputError for a file without a valid record, and for one without scalars and
        configuration.
        """
        found, damage = Collected(points_in(memory)), Damage()
        collector = Collector(found, damage)
        for chunk in frames(path, damage, progress):
            collector.add(chunk)
        if not found.records:
            raise InputError(path, NO_RECORD)
        series = found.series()
        config = _settings(found.texts)
        if not series and not config:
            raise InputError(path, NO_SCALARS.fill({"count": found.records}), _HINT)
        return Table(series, config, notes=(*damage.notes(), *found.notes))


def _settings(texts: Sequence[TextValue]) -> dict[str, ConfigValue]:
    if not texts:
        return {}
    from spikedoc.readers._event_config import config_of  # many files hold no text

    return config_of(texts)


READER: Final[Reader] = TensorboardReader()
