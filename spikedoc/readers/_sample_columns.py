"""Which columns make a table one of losses per sample: its name, its loss, where it was seen.

Such a table holds many rows for a step. Read as the log of a run it would show one sample of each.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from spikedoc.readers._columns import EPOCH_NAMES, STEP_NAMES

# Names that say by themselves that a row is one sample.
SAMPLE_NAMES: Final = (
    "sample_id", "sample_idx", "sample_index", "sample_name", "sample_key", "sample_path",
    "sample_uid", "example_id", "example_idx", "example_index", "image_id", "image_path",
    "image_name", "image_file", "img_id", "img_path", "img_name", "datapoint_id", "utt_id",
    "utterance_id", "audio_path",
)  # fmt: skip
# Names that tables of several runs have as well: samples only where each step has others. The
# number of a row ("index") is none: it is another one in every row of any table.
DOUBTFUL_NAMES: Final = (
    "sample", "example", "image", "img", "utt", "utterance", "filename", "file_name", "filepath",
    "file_path",
)  # fmt: skip
# Names that any table may have: samples only where a user says that the file is such a table.
ASKED_NAMES: Final = (
    "id", "uid", "uuid", "guid", "key", "name", "path", "file", "url", "item", "item_id", "doc",
    "doc_id", "document", "document_id", "text_id", "question_id", "qid", "query_id", "record_id",
    "row_id", "idx", "index", "text", "prompt",
)  # fmt: skip
# What is told of a run or a batch, never of one sample.
OF_RUNS: Final = frozenset((
    "rank", "seed", "run", "run_name", "run_id", "fold", "trial", "phase", "split", "mode", "lr",
    "learning_rate", "val_loss", "eval_loss", "train_loss", "grad_norm", "reward", "batch_size",
    "optimizer", "task", "client_id",
))  # fmt: skip
LOSS_NAMES: Final = (
    "sample_loss", "per_sample_loss", "loss_per_sample", "example_loss", "item_loss", "loss",
    "cross_entropy", "ce_loss", "ce", "nll_loss", "nll", "bce", "mse", "mae", "l1_loss",
)  # fmt: skip
# Samples that stand at one step, at the median, from which on they are those of a batch.
LEAST_AT_ONE_STEP: Final = 2
# Share of a step's samples that the step before had as well: runs side by side have all of them.
MOST_IN_COMMON: Final = 0.5
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")
Row = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class SampleColumns:
    """Places of the columns in a row; the step or epoch need not be there."""

    sample: int
    loss: int
    step: int | None
    epoch: int | None


def named_columns(names: Sequence[str]) -> SampleColumns | None:
    """Return where a sample and its loss would be by their names; None without both."""
    plain = list(map(_plain, names))
    sample, loss = _first(plain, (*SAMPLE_NAMES, *DOUBTFUL_NAMES)), _first(plain, LOSS_NAMES)
    if sample is None or loss is None or not OF_RUNS.isdisjoint(plain):
        return None
    return SampleColumns(sample, loss, _first(plain, STEP_NAMES), _first(plain, EPOCH_NAMES))


def sample_columns(names: Sequence[str], rows: Sequence[Row]) -> SampleColumns | None:
    """Return the places when `rows` are samples rather than steps, else None."""
    columns = named_columns(names)
    if columns is None or not rows or _counts(columns, rows):
        return None
    is_certain = _plain(names[columns.sample]) in SAMPLE_NAMES
    at = _samples_at_places(columns, rows)
    if not at:
        return columns if is_certain else None
    several = median(map(len, at.values())) >= LEAST_AT_ONE_STEP
    return columns if several and (is_certain or _changes(columns, at)) else None


def asked_columns(names: Sequence[str], rows: Sequence[Row]) -> SampleColumns | None:
    """Return the places in a table that the user says is one of samples; None without them.

    A step or epoch at which only one sample stands is no batch, and not taken.
    """
    plain = list(map(_plain, names))
    sample = _first(plain, (*SAMPLE_NAMES, *DOUBTFUL_NAMES, *ASKED_NAMES))
    losses = [name for name in plain if name.endswith("loss") or name.startswith("loss")]
    loss = _first(plain, (*LOSS_NAMES, *losses))
    if sample is None or loss is None or not rows:
        return None
    step, epoch = _first(plain, STEP_NAMES), _first(plain, EPOCH_NAMES)
    for columns in (
        SampleColumns(sample, loss, step, epoch),
        SampleColumns(sample, loss, None, epoch),
    ):
        at = _samples_at_places(columns, rows)
        if at and median(map(len, at.values())) >= LEAST_AT_ONE_STEP:
            return columns
    has_place = step is not None or epoch is not None
    is_certain = plain[sample] in SAMPLE_NAMES
    return SampleColumns(sample, loss, None, None) if is_certain or not has_place else None


def _plain(name: str) -> str:
    """The name in lower case with one underscore between words: `sampleId` is sample_id."""
    return _NOT_A_WORD.sub("_", _CAMEL.sub("_", name).lower()).strip("_")


def _samples_at_places(
    columns: SampleColumns, rows: Sequence[Row]
) -> Mapping[Hashable, set[Hashable]]:
    """The samples of each step of each epoch; empty without a column of either."""
    places = [place for place in (columns.epoch, columns.step) if place is not None]
    seen: dict[Hashable, set[Hashable]] = {}
    if places:
        for row in rows:
            if len(row) > max(*places, columns.sample):
                at = tuple(row[place] for place in places)
                seen.setdefault(at, set()).add(row[columns.sample])
    return seen


def _counts(columns: SampleColumns, rows: Sequence[Row]) -> bool:
    """Whether the sample is the number of those seen so far: it grows by a batch in each row."""
    try:
        counted = [float(str(row[columns.sample])) for row in rows if len(row) > columns.sample]
    except ValueError:
        return False
    strides = {after - before for before, after in pairwise(counted)}
    return len(strides) == 1 and strides.pop() > 1


def _changes(columns: SampleColumns, at: Mapping[Hashable, set[Hashable]]) -> bool:
    """Whether each step has other samples than the one before it."""
    if columns.step is None or len(at) < 2:
        return False
    shares = [len(a & b) / max(1, len(b)) for a, b in pairwise(at.values())]
    return median(shares) <= MOST_IN_COMMON


def _first(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)
