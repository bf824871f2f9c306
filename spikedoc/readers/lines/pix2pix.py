"""pix2pix, CycleGAN and pix2pixHD: `(epoch: 1, iters: 100, time: 0.3, data: 0.0) G_GAN: 1.2 …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(
    r"\(epoch: (\d{1,9}), iters: (\d{1,15}), time: (\S{1,20}?)(?:, data: \S{1,20}?)?\)"
    r"[ ,]{0,4}(.{3,2000})"
)
# A side, then the term of its loss: names that hold no "loss", and one letter for the network.
_TERM: Final = re.compile(rf"([A-Za-z]\w{{0,60}}): ({NUMBER})(?![\w.])")


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    if match is None:
        return None
    epoch, iteration, seconds, text = match.groups()
    terms = {f"loss_{name}": value(token) for name, token in _TERM.findall(text)}
    values = {name: number for name, number in terms.items() if number is not None}
    if not values:
        return None
    time = value(seconds)
    if time is not None:
        values["iter_time"] = time
    return Record(values, None, epoch, int(iteration))


def _claims(line: str) -> bool:
    return "(epoch: " in line and ", iters: " in line


PROFILE: Final = LineProfile("pix2pix", 437, _claims, stateless(_take))
