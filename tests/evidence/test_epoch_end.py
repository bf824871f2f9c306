from __future__ import annotations

import numpy as np
import pytest

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
