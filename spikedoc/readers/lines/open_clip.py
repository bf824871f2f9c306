"""OpenCLIP: `Train Epoch: 0 [ 2560/100000 (3%)] … LR: 5e-6 Logit Scale: 14 Loss: 5.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering
from spikedoc.text import Text

SAMPLES_NOTE: Final = Text(
    "steps are samples seen: the lines count samples, not batches",
    "步数为已见样本数：日志行按样本而非批次计数",
)
_TRAIN: Final = re.compile(
    r"Train Epoch: (\d{1,6}) \[\s{0,12}(\d{1,15})/\s{0,4}(\d{1,15}) \(\d{1,3}%\)\] (.{3,1000})"
)
_IGNORED: Final = ("epoch", "num_samples")
_EVAL: Final = re.compile(r"Eval Epoch: (\d{1,6}) (.{3,4000})")


class _Parser(Remembering):
    """An evaluation names the epochs that were trained before it."""

    def __init__(self) -> None:
        self.samples: int | None = None

    def take(self, line: str) -> Record | None:
        match = _TRAIN.search(line)
        if match is None:
            return self._evaluation(line)
        values = pairs(match.group(4).replace("/s/gpu", ","))
        values = {n: v for n, v in values.items() if not n.startswith(("Data", "Batch"))}
        self.samples = int(match.group(3))
        place = (match.group(1), int(match.group(2)), self.samples)
        return Record(values, None, *place, notes=(SAMPLES_NOTE,)) if values else None

    def _evaluation(self, line: str) -> Record | None:
        match = _EVAL.search(line)
        if match is None:
            return None
        if match.group(2).startswith("["):
            return NOTHING  # a mean so far
        held_out = {
            name if "val" in name else f"val_{name}": value
            for name, value in pairs(match.group(2)).items()
            if name.lower().removeprefix("val_") not in _IGNORED
        }
        done = int(match.group(1)) - 1
        if self.samples is None or done < 0:
            return Record(held_out, None, match.group(1)) if held_out else None
        return Record(held_out, None, str(done), self.samples, self.samples)


def _claims(line: str) -> bool:
    return ("Train Epoch: " in line and "Logit Scale" in line) or "Eval Epoch: " in line


PROFILE: Final = LineProfile("open_clip", 540, _claims, _Parser)
