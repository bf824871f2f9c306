from __future__ import annotations

from spikedoc.fleet.engines.serial import SerialEngine


def test_batches_are_done_in_order() -> None:
    engine = SerialEngine()
    engine.submit(1, str, [1, 2])
    engine.submit(2, str, [3])
    assert engine.wait() == [(1, ["1", "2"])]
    assert engine.wait() == [(2, ["3"])]
    engine.close(now=True)
