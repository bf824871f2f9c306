"""The processes that print into one log, each with its own parsers: ranks, and workers of Ray."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers._text_ranks import MEAN_NOTE, bare_rank, process_of, rank_of
from spikedoc.readers._text_writer import Found, Writer
from spikedoc.readers.lines.base import Record
from spikedoc.readers.lines.step_block import step_headed
from spikedoc.text import Text

# A log has no more writers than a large job has processes.
MOST_WRITERS: Final = 1_024
PROCESSES: Final = Text(
    "{count} processes print under Ray: the main series are means over them, as is right for the "
    "workers of one training; trials of a search need a file each",
    "Ray 下有 {count} 个进程输出：主序列取其均值，适用于同一训练的各个 worker；超参数搜索的各次试验"
    "应分别保存为文件",
)


class Writers:
    """Gives each line to the writer that printed it."""

    def __init__(self) -> None:
        """Start with none."""
        self._writers: dict[int, Writer] = {}
        self._processes: dict[str, int] = {}
        self._trusts_bare_ranks = False

    def of(self, rank: int) -> Writer:
        """Return the writer of a rank; those beyond the most that are kept share the first."""
        writer = self._writers.get(rank)
        if writer is None and len(self._writers) >= MOST_WRITERS:
            writer = self.first
        if writer is None:
            writer = self._writers[rank] = Writer(rank)
        return writer

    @property
    def first(self) -> Writer:
        """The writer that was seen first."""
        return next(iter(self._writers.values()))

    def all(self) -> list[Writer]:
        """Return the writers in the order in which they were seen."""
        return list(self._writers.values())

    def parsed(self, line: CleanLine) -> tuple[Writer, Found | None]:
        """Return who printed a line that holds some text, and what it says."""
        rank, text = rank_of(line.text)
        bare = bare_rank(line.text) if rank is None else None
        if bare is not None:
            writer = self.of(bare[0])
            found = writer.parse(bare[1], is_drawn_over=line.is_drawn_over)
            is_headed = step_headed(bare[1]) is not None
            if self._trusts_bare_ranks or is_headed or (found and names_place(found[0])):
                self._trusts_bare_ranks = True
                return writer, found
        process = process_of(line.text) if rank is None else None
        if process is not None:
            rank, text = self._processes.setdefault(process[0], len(self._processes)), process[1]
        writer = self.of(rank or 0)
        found = writer.parse(text, is_drawn_over=line.is_drawn_over) if text else None
        return writer, found

    def mean_note(self, count: int) -> Text:
        """Return a note that the series are means over `count` writers."""
        return (PROCESSES if self._processes else MEAN_NOTE).fill({"count": count})

    def in_turn(self, ranks: IntArray) -> bool:
        """Return whether `ranks` of the records are processes of which each began as one ended.

        So it is when a worker that failed was started again: all of them are one training.
        """
        changes = int(np.count_nonzero(np.diff(ranks)))
        return bool(self._processes) and changes == np.unique(ranks).size - 1


def names_place(record: Record) -> bool:
    """Return whether a record says where in the training it stands."""
    return record.step is not None or record.epoch != "" or record.batch is not None
