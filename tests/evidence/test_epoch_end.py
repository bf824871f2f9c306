from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EPOCH, KIND = 75, Kind.PERIODIC_SPIKES
CONFIG = {"steps_per_epoch": EPOCH}


def comb(falling: np.ndarray, first: int) -> np.ndarray:
    loss = falling.copy()
    loss[first - 1 :: EPOCH] *= 5.0
    return loss


# Steps count from 1: the last batches are 75, 150 ...; from 0 they would be 74, 149 ...
@pytest.mark.parametrize(("first", "verdict"), [(225, YES), (224, YES), (226, NO), (260, NO)])
def test_the_last_batch(ask, falling, first, verdict) -> None:
    parts = {"loss": comb(falling, first), "config": CONFIG}
    assert ask("at_end_of_epoch", KIND, first, first, 1000, **parts).verdict is verdict


def test_one_event_or_no_epoch_tells_nothing(ask, falling) -> None:
    name = "at_end_of_epoch"
    alone = ask(name, Kind.ISOLATED_SPIKE, 225, loss=falling, config=CONFIG)
    assert alone.verdict is UNKNOWN
    found = ask(name, KIND, 225, 225, 1000, loss=comb(falling, 225))
    assert (found.verdict, found.missing_config) == (UNKNOWN, ("steps_per_epoch",))


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        ({"batch_size": 32, "dataset_size": 2369}, YES),  # 74 x 32 + 1
        ({"batch_size": 32, "dataset_size": 2369, "drop_last": True}, NO),
        ({"batch_size": 32, "dataset_size": 2368}, NO),
        ({"batch_size": 32, "dataset_size": 2398}, NO),  # 30 of 32
        ({"batch_size": 32}, UNKNOWN),
        ({"dataset_size": 2369}, UNKNOWN),
    ],
)
def test_a_small_last_batch(ask, falling, config, verdict) -> None:
    assert ask("last_batch_is_small", KIND, 225, loss=falling, config=config).verdict is verdict


def at_end(ask, *steps: int, epoch: int = 100, stride: int = 1):
    seen = [Detection("any", Shape.POINT, "loss", s, s, s) for s in steps]
    parts = {"loss": np.ones(1000), "stride": stride, "config": {"steps_per_epoch": epoch}}
    return ask("at_end_of_epoch", KIND, steps[0], detections=seen, **parts)


@pytest.mark.parametrize(
    ("phase", "stride", "verdict"),
    [
        *((96, 1, NO), (97, 1, YES), (99, 1, YES), (100, 1, YES), (101, 1, NO)),
        *((103, 4, YES), (104, 4, NO)),  # a point of four steps carries the last of them
    ],
)
def test_the_last_three_hundredths_of_an_epoch(ask, phase, stride, verdict: Verdict) -> None:
    found = at_end(ask, *(100 * k + phase for k in range(1, 5)), stride=stride)
    assert found.verdict is verdict
    assert found.values == {"percent": 100.0 if verdict is YES else 0.0, "count": 4}


@pytest.mark.parametrize(("hits", "verdict"), [(7, YES), (6, NO)])
def test_seven_events_in_ten_at_the_end(ask, hits: int, verdict: Verdict) -> None:
    found = at_end(ask, *(100 * k + (99 if k < hits else 50) for k in range(10)))
    assert (found.verdict, found.values["percent"]) == (verdict, 10.0 * hits)


@pytest.mark.parametrize(("epoch", "verdict"), [(20, YES), (19, UNKNOWN)])
def test_twenty_points_have_an_end(ask, epoch: int, verdict: Verdict) -> None:
    assert at_end(ask, *(epoch * k for k in range(1, 5)), epoch=epoch).verdict is verdict


@pytest.mark.parametrize(
    ("size", "last", "verdict"), [(105, 5, NO), (104, 4, YES), (101, 1, YES), (100, 10, NO)]
)
def test_less_than_half_a_batch_is_small(ask, size: int, last: int, verdict: Verdict) -> None:
    config = {"batch_size": 10, "dataset_size": size}
    found = ask("last_batch_is_small", KIND, 225, loss=np.ones(1000), config=config)
    assert (found.verdict, found.values) == (verdict, {"batch": 10, "last": last})


@pytest.mark.parametrize(("batch", "verdict"), [(1, NO), (0.5, UNKNOWN)])
def test_a_batch_holds_a_sample_at_least(ask, batch: float, verdict: Verdict) -> None:
    config = {"batch_size": batch, "dataset_size": 100}
    found = ask("last_batch_is_small", KIND, 225, loss=np.ones(1000), config=config)
    assert found.verdict is verdict
