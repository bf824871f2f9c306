"""What holds for every anomaly that a test makes."""

from __future__ import annotations

from typing import Any

import pytest

from spikedoc.model.anomaly import Anomaly


@pytest.fixture(autouse=True)
def _every_confidence_is_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Anomaly.__init__

    def checked(self: Anomaly, *args: Any, **parts: Any) -> None:
        made(self, *args, **parts)
        assert 0.0 <= self.confidence <= 1.0, f"{self.label}: {self.confidence}"

    monkeypatch.setattr(Anomaly, "__init__", checked)
