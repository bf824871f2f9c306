"""Ultralytics and YOLOv5: `1/4 0G 6.9 3.7 4.1 4 64: 100%` under `Epoch GPU_mem box_loss …`.

YOLOv6 prints the same without the memory: `1/4 0.9 0.5 1.2: 100%` under `Epoch iou_loss …`.
"""

from __future__ import annotations

import math
import re
from typing import Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._notes import RUNNING_MEAN
from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

MEAN_NOTE: Final = RUNNING_MEAN.fill({"writer": "Ultralytics"})
_HEADING: Final = re.compile(
    r"Epoch\s{1,20}(?:gpu_mem\s{1,20}(\S.{0,400})|((?:lr\s{1,20})?\w{1,30}_loss\s.{0,400}))",
    re.IGNORECASE,
)
_ROW: Final = re.compile(
    rf"(\d{{1,6}})/\d{{1,6}}\s{{1,20}}(?:\d[\d.]{{0,12}}[GM]\s{{1,20}})?"
    rf"((?:{NUMBER})(?:\s{{1,20}}(?:{NUMBER})){{1,20}}):?\s{{1,9}}(.{{0,400}})"
)
_FRAME: Final = re.compile(r"\d{1,3}%")
_SCORES: Final = re.compile(
    r"Class\s{1,20}Images\s{1,20}(?:Instances|Labels|Targets)\s{1,20}(\S.{0,300})"
)
_ALL: Final = re.compile(
    rf"all\s{{1,20}}\d{{1,12}}\s{{1,20}}\d{{1,12}}((?:\s{{1,20}}(?:{NUMBER})){{1,20}})"
)
# Box(P, R, mAP50, mAP50-95), Mask(P …: a letter for what is found, as in results.csv.
_SCORE: Final = re.compile(r"(?:(Box|Mask|Pose)\()?(P|R|mAP@?[\d.:\-]{1,12})\)?:?(?=\s|$)")
_NAMES: Final = {"P": "precision", "R": "recall"}
# The settings, all in one line.
_ABOUT: Final = ("engine/trainer: ", "hyperparameters: ", "train: weights=")
_SETTING: Final = re.compile(rf"(?:^|[\s,])(\w{{1,40}})=({NUMBER})(?=,|$)")
_SETTINGS: Final = {
    "epochs": "epochs", "batch": "batch_size", "batch_size": "batch_size", "seed": "seed",
    "lr0": "lr", "momentum": "momentum", "weight_decay": "weight_decay",
}  # fmt: skip
# Columns that are no loss.
_COUNTS: Final = ("instances", "labels", "targets", "total", "size", "img_size")


class _Parser:
    """The bar of an epoch is drawn over: its last frame holds the means of the whole epoch."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.scores: list[str] = []
        self.epoch = ""
        self.values: dict[str, float] = {}

    def take(self, line: str) -> Record | None:
        if line.startswith(_ABOUT):
            return _settings(line)
        heading = _HEADING.fullmatch(line)
        if heading:
            self.losses = (heading.group(1) or heading.group(2)).split()
            return self.end() or NOTHING
        if not self.losses:
            return None
        row = _ROW.fullmatch(line)
        if row and _FRAME.match(row.group(3)):
            return self._frame(row.group(1), row.group(2).split())
        return self._validation(line)

    def end(self) -> Record | None:
        values, self.values = self.values, {}
        return Record(values, None, self.epoch, notes=(MEAN_NOTE,)) if values else None

    def _frame(self, epoch: str, cells: list[str]) -> Record:
        left = self.end() if epoch != self.epoch else None
        self.epoch = epoch
        for name, cell in zip(self.losses, cells, strict=False):
            number = value(cell)
            if name.lower() == "lr" and number is not None:
                self.values["lr"] = number
            elif number is not None and name.lower() not in _COUNTS:
                self.values[f"train/{name if name.endswith('_loss') else f'{name}_loss'}"] = number
        return left or NOTHING

    def _validation(self, line: str) -> Record | None:
        heading = _SCORES.match(line)
        if heading:
            self.scores = _score_names(heading.group(1))
            return self.end() or NOTHING
        found = _ALL.fullmatch(line)
        if found is None or not self.scores or not self.epoch:
            return None
        cells = zip(self.scores, map(value, found.group(1).split()), strict=False)
        return Record({name: v for name, v in cells if v is not None}, None, self.epoch)


def _settings(line: str) -> Record:
    config: dict[str, ConfigValue] = {}
    for name, token in _SETTING.findall(line):
        number = value(token)
        if name in _SETTINGS and number is not None and math.isfinite(number):
            whole = number == int(number) and token.isdigit()
            config[_SETTINGS[name]] = int(number) if whole else number
    return Record(config=config)


def _score_names(text: str) -> list[str]:
    names, letter = [], "B"
    for kind, name in _SCORE.findall(text.partition("%")[0]):
        letter = kind[:1] or letter
        names.append(f"metrics/{_NAMES.get(name, name.rstrip(':'))}({letter})")
    return names


def _claims(line: str) -> bool:
    return line[:1].isdigit() or line.startswith(("Epoch", "Class", "all", *_ABOUT))


PROFILE: Final = LineProfile("ultralytics", 455, _claims, _Parser, framework="ultralytics")
