"""The key by which rules speak of an anomaly."""

from __future__ import annotations

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity


def test_the_label_is_the_kind_with_its_form() -> None:
    plain = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 1, 2, 3)
    shaped = Anomaly(Kind.LEVEL_SHIFT, Severity.INFO, 0.9, "loss", 1, 2, 3, Form.UP)
    assert plain.label == "isolated-spike"
    assert shaped.label == "level-shift/up"
