"""fairseq: JSON after a log prefix, the simple format with bars, and overflow notes."""

from __future__ import annotations

import json
import re
from typing import Final

from spikedoc.readers._numbers import plain
from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

BASE_NOTE: Final = Text(
    "fairseq logs losses to the base 2: natural ones are 0.69 times as large",
    "fairseq 的 loss 以 2 为底：以 e 为底的值是其 0.69 倍",
)
_JSON: Final = re.compile(r'\{"epoch": \d{1,9},.{0,12000}\}')
# "epoch 005: 1000 / 8223 loss=2.17 (3.20), wps=959, …"; old versions have no colon.
_INNER: Final = re.compile(
    r"\| epoch (\d{1,6}):?\s{1,4}(\d{1,12}) / (\d{1,12})(?: \w{1,20}:)?,?\s{0,3}(.{3,4000})"
)
_EPOCH: Final = re.compile(r"(?:\|\s?)?epoch (\d{3,6}) \| (.{3,4000})")
# Home-made lines look the same, but for what fairseq always tells at the end of an epoch.
_ITS_OWN: Final = re.compile(r"(?:\b|_)(?:nll_loss|ppl|wps|wpb|ups|gnorm|num_updates|train_wall)\b")
_THREE_DIGITS: Final = re.compile(r"epoch \d{3}")
_WORD: Final = re.compile(rf"([a-zA-Z_]\w{{0,60}})[= ]({NUMBER})", re.IGNORECASE)
_OVERFLOW: Final = re.compile(r"overflow detected.{0,80}loss scale to: (\S{1,30})")
_UPDATES: Final = "num_updates"


class _Parser(Remembering):
    def __init__(self) -> None:
        self.is_ours = False

    def take(self, line: str) -> Record | None:
        overflow = _OVERFLOW.search(line)
        if overflow:
            scale = value(overflow.group(1))
            values = {} if scale is None else {"loss_scale": scale}
            return Record(values, advances=True, is_event=True)
        if '{"epoch"' in line:
            return self._from_json(line)
        inner = _INNER.search(line)
        if inner:
            self.is_ours = True
            epoch, batch, batches = inner.group(1), int(inner.group(2)), int(inner.group(3))
            values = _words(inner.group(4), "")
            step = values.pop(_UPDATES, None)
            whole = int(step) if step is not None and step == step // 1 else None
            return Record(values, whole, epoch, batch, batches, notes=(BASE_NOTE,))
        return self._epoch_end(line)

    def _from_json(self, line: str) -> Record | None:
        match = _JSON.search(line)
        try:
            content = json.loads(match.group()) if match else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(content, dict):
            return None
        found = {key: plain(cell) for key, cell in content.items()}
        values = {key: number for key, number in found.items() if number is not None}
        if not any("loss" in key or "wps" in key for key in values):
            return None
        self.is_ours = True
        key = next((key for key in values if key.endswith(_UPDATES)), None)
        step = values.pop(key) if key else None
        whole = int(step) if step is not None and step == step // 1 else None
        return Record(values, whole, str(content.get("epoch", "")), notes=(BASE_NOTE,))

    def _epoch_end(self, line: str) -> Record | None:
        match = _EPOCH.search(line)
        if match is None or not _ITS_OWN.search(match.group(2)):
            return None
        rest = match.group(2)
        is_valid = "valid" in rest.partition("loss")[0] or "valid_loss" in rest
        prefix = "valid_" if is_valid else "train_"
        values = _words(rest.replace("valid ", "").replace("|", ","), prefix)
        if not any(key.endswith("loss") for key in values):
            return None
        step = values.pop(f"{prefix}{_UPDATES}", None)
        whole = int(step) if step is not None and step == step // 1 else None
        return Record(values, whole, match.group(1), notes=(BASE_NOTE,))


def _words(text: str, prefix: str) -> dict[str, float]:
    found = {}
    for match in _WORD.finditer(text):
        number = value(match.group(2))
        if number is not None:
            name = match.group(1)
            plain_name = name.startswith(("num_", "train_", "valid_")) and name != _UPDATES
            found[name if plain_name else f"{prefix}{name}"] = number
    return found


def _claims(line: str) -> bool:
    if '{"epoch"' in line or "overflow detected" in line:
        return True
    return "epoch " in line and _THREE_DIGITS.search(line) is not None


PROFILE: Final = LineProfile("fairseq", 100, _claims, _Parser, framework="fairseq")
