"""DeepSpeed's engine: `step=10, skipped=2, lr=[…]`, and overflows that change the loss scale."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_STEP: Final = re.compile(
    rf"(?<!global_)(?<!micro_)\bstep=(\d{{1,15}}), skipped=(\d{{1,15}}), lr=\[({NUMBER})",
    re.IGNORECASE,
)
_SCALE: Final = re.compile(
    rf"(?:Attempted loss scale: ({NUMBER}), reducing to|dynamic loss scale from ({NUMBER}) to)"
    rf" ({NUMBER})",
    re.IGNORECASE,
)
_FRONT: Final = re.compile(r"\W{0,3}(\d{1,12})(?:/(\d{1,12}))?\s")
_NOISE: Final = ("[timer.py", "[config.py", "SamplesPerSec", "rank=0 time (ms)")


class _Parser(Remembering):
    """Two engines (actor and critic, say) print the same step in turn: told apart by the turn."""

    def __init__(self) -> None:
        self.step, self.turn = -1, 0
        self.change: tuple[str, str] = ("", "")

    def take(self, line: str) -> Record | None:
        match = _STEP.search(line)
        if match:
            return self._engine(int(match.group(1)), value(match.group(2)), value(match.group(3)))
        if "loss scale" in line:
            return self._overflow(line)
        return NOTHING if any(word in line for word in _NOISE) else None

    def _engine(self, step: int, skipped: float | None, lr: float | None) -> Record:
        self.turn = self.turn + 1 if step == self.step else 0
        self.step, self.change = step, ("", "")
        suffix = f"/engine {self.turn}" if self.turn else ""
        found = {"skipped": skipped, "lr": lr}
        return Record({f"{k}{suffix}": v for k, v in found.items() if v is not None}, step)

    def _overflow(self, line: str) -> Record | None:
        """Ranks repeat a change in their own words; the scale at its minimum repeats for real."""
        match = _SCALE.search(line)
        scale = value(match.group(3)) if match else None
        if match is None or scale is None or "loss: " in line[: match.start()]:
            return None
        before, after = match.group(1) or match.group(2), match.group(3)
        change = (before.removesuffix(".0"), after.removesuffix(".0"))
        if change == self.change and change[0] != change[1]:
            return Record(is_event=True)
        self.change = change
        if "Increasing" in line:
            return Record({"loss_scale": scale}, advances=True)
        front = _FRONT.match(line)
        if front:
            return Record({"loss_scale": scale}, int(front.group(1)), is_event=True)
        return Record({"loss_scale": scale}, advances=True, is_event=True)


def _claims(line: str) -> bool:
    return "skipped=" in line or "loss scale" in line or ("[" in line and ".py:" in line)


PROFILE: Final = LineProfile("deepspeed", 130, _claims, _Parser)
