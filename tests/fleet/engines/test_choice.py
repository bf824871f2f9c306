from __future__ import annotations

from spikedoc.fleet.engines.choice import engine
from spikedoc.fleet.engines.loky import LokyEngine
from spikedoc.fleet.engines.serial import SerialEngine


def test_this_machine() -> None:
    assert isinstance(engine(0), SerialEngine)
    assert isinstance(engine(3), LokyEngine)
    assert engine(3).slots == 3
    assert engine(None).slots >= 1
