"""Tables of one quantity that is named by the file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.readers.base import Table
from spikedoc.readers.lines._quantities import BARE
from spikedoc.text import Text

# DeepSpeed's monitor writes one file for each tag, over the samples seen: Train_Samples_lr.csv.
_OVER_SAMPLES: Final = "_Samples_"
# Polyaxon writes events/metric/TAG.plx with a column for the step, the time and the value.
_POLYAXON_SUFFIX: Final = ".plx"
_POLYAXON_TAGS: Final = {"metric"}
# TensorBoard's download button writes "Wall time,Step,Value" to run-NAME-tag-TAG.csv.
_EXPORTED_TAGS: Final = {"Value"}
_TAG_IN_NAME: Final = "-tag-"
# A single column without a name, or with the number that pandas gives it.
_NO_NAME: Final = re.compile(r"col\d|0")

OVER_SAMPLES: Final = Text(
    "steps are samples seen, not optimizer steps (DeepSpeed's monitor)",
    "步数为已见样本数，而非优化器步数（DeepSpeed monitor）",
)


def named_by_file(table: Table, path: Path) -> Table:
    """Return the table; one of a single quantity without a name has it from the file.

    So has what TensorBoard and Polyaxon export, a file for each tag.
    """
    if _OVER_SAMPLES in path.stem:
        table = replace(table, notes=(*table.notes, OVER_SAMPLES))
    tags = {one.tag for one in table.series}
    stem = path.stem.partition(_TAG_IN_NAME)[2] or path.stem
    if path.suffix == _POLYAXON_SUFFIX and tags == _POLYAXON_TAGS:
        return _named(table, path.stem)
    is_bare = len(tags) == 1 and all(map(_NO_NAME.fullmatch, tags)) and BARE.search(stem)
    return _named(table, stem) if tags == _EXPORTED_TAGS or is_bare else table


def _named(table: Table, tag: str) -> Table:
    return replace(table, series=tuple(replace(one, tag=tag) for one in table.series))
