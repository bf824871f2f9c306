"""Which engine does the work."""

from __future__ import annotations

from spikedoc.fleet.engines.base import Engine


def engine(workers: int | None) -> Engine:
    """Return the engine; `workers` 0 does all in this process, None takes every core."""
    if workers == 0:
        from spikedoc.fleet.engines.serial import SerialEngine

        return SerialEngine()
    from spikedoc.fleet.engines.loky import LokyEngine, usable_cores

    return LokyEngine(workers if workers is not None else usable_cores())
