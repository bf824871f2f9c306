"""What a detector is."""

from __future__ import annotations

from typing import Protocol

from spikedoc.model.anomaly import Detection
from spikedoc.model.run import Run


class Detector(Protocol):
    """A pure function from a run to the shapes it sees; silent on what it cannot judge."""

    def __call__(self, run: Run) -> tuple[Detection, ...]:
        """Return the detections in step order; empty for a run without the series it looks at."""
