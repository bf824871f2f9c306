"""Words in front of printed lines that name parts of one training: its networks, its devices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._text_ranks import MEAN_NOTE, joined
from spikedoc.readers.base import RawSeries, Table
from spikedoc.readers.lines._quantities import BARE
from spikedoc.text import Text, listed

PARTS: Final = Text(
    "the lines bear names of parts of one training: {names}; each part has series of its own",
    "各行带有同一训练各组成部分的名称：{names}；每个部分各成序列",
)
# Copies of one training; a mean over them is what a step did.
_DEVICE: Final = re.compile(
    r"(?:gpu|cuda|tpu|npu|xpu|device|dev|rank|node|host|worker|proc(?:ess)?|replica|machine|core"
    r"|shard)[_\-]?\d{1,5}",
    re.IGNORECASE,
)
# Networks that are trained together, copies of the weights, and terms of one loss.
_PART: Final = re.compile(
    r"(?:net[_\-]?[gd]|gen|generator|disc?|discriminator|actor|critic|policy|teacher|student"
    r"|encoder|decoder|source|target|src|tgt|coarse|fine|ema|swa|raw|online|momentum|aux|auxiliary"
    r"|primary|local|global|head|backbone|real|fake|clean|noisy|adv(?:ersary|ersarial)?"
    r"|(?:un)?labell?ed|(?:un)?sup(?:ervised)?|forward|backward|left|right|stage|level|layer|block"
    r"|cls|classification|bbox|box|obj|mask|rpn|rcnn|seg(?:mentation)?|depth|pose|keypoints?|kl"
    r"|recon(?:struction)?|commit(?:ment)?|perceptual|contrastive|triplet|distill(?:ation)?|ce|mse"
    r"|l1|l2|reg(?:ression)?|mlm|nsp|itc|itm)(?:[_\-]?\d{1,2})?(?:[_\-]?net(?:work)?)?",
    re.IGNORECASE,
)
# Averages of the weights are of the network whose name stands beside.
_AVERAGED: Final = frozenset({"ema", "swa"})
_GAN: Final = frozenset({"g", "d"})


def are_devices(names: Sequence[str]) -> bool:
    """Return whether the names are those of devices or processes of one training."""
    return all(map(_DEVICE.fullmatch, names))


def are_parts(names: Sequence[str]) -> bool:
    """Return whether the names are those of parts of one training, or of quantities."""
    low = {name.lower() for name in names}
    return (
        low == _GAN
        or bool(low & _AVERAGED)
        or are_devices(names)
        or all(_PART.fullmatch(name) or BARE.fullmatch(name) for name in names)
    )


def put_together(parts: Mapping[str, Table]) -> Table:
    """Return one table of the `parts`: means over devices, else series by the name of each part.

    What lines without such a name say, under the empty name, stays as it is.
    """
    named = [name for name in parts if name]
    rest = parts[""].series if "" in parts else ()
    series: list[RawSeries] = list(rest)
    if are_devices(named):
        series += joined({rank: parts[name].series for rank, name in enumerate(named)})
        note = MEAN_NOTE.fill({"count": len(named)})
    else:
        series += [_of(name, one) for name in named for one in parts[name].series]
        note = PARTS.fill({"names": listed(named)})
    config: dict[str, ConfigValue] = {}
    for table in parts.values():
        config.update(table.config)
    notes = dict.fromkeys((note, *(one for table in parts.values() for one in table.notes)))
    events = tuple(one for table in parts.values() for one in table.events)
    framework = next((one.framework for one in parts.values() if one.framework), "")
    return Table(tuple(series), config, events, tuple(notes), framework)


def _of(name: str, series: RawSeries) -> RawSeries:
    """The series under the name of its part, unless it bears that already."""
    words = re.split(r"[\W_]+", series.tag.lower())
    return series if name.lower() in words else replace(series, tag=f"{name}_{series.tag}")
