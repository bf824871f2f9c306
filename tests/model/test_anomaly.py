"""The key by which rules speak of an anomaly."""

from __future__ import annotations

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity


def test_the_label_is_the_kind_with_its_form() -> None:
    plain = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 1, 2, 3)
    shaped = Anomaly(Kind.LEVEL_SHIFT, Severity.INFO, 0.9, "loss", 1, 2, 3, Form.UP)
    assert plain.label == "isolated-spike"
    assert shaped.label == "level-shift/up"


def test_the_detection_of_a_shape_is_found_behind_an_anomaly() -> None:
    first, second = (
        Detection("d", shape, "loss", step, step, step)
        for shape, step in ((Shape.RAMP, 3), (Shape.POINT, 5))
    )
    later = Detection("d", Shape.POINT, "loss", 9, 9, 9)
    one = Anomaly(
        Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 3, 5, 9, detections=(first, second, later)
    )
    assert one.seen_as(Shape.RAMP) is first
    assert one.seen_as(Shape.POINT) is second
    assert one.seen_as(Shape.FALL) is None
