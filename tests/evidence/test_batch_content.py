from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
TOKENS = np.random.default_rng(3).integers(500, 4000, 1000).astype(float)


def asked(ask, loss, tag: str = "num_tokens", content: np.ndarray = TOKENS):
    return ask(
        "loss_follows_content",
        Kind.OSCILLATION,
        1,
        1,
        1000,
        form=Form.NOISE,
        loss=loss,
        extra={tag: content},
    )


@pytest.mark.parametrize(
    "tag", ["num_tokens", "train/n_objects", "seq_len", "batch/sequence_length"]
)
def test_a_loss_made_by_its_tokens(ask, falling, tag) -> None:
    found = asked(ask, falling + 0.3 * TOKENS / 1000, tag)
    assert (found.verdict, found.values["name"]) == (YES, tag)
    assert found.values["percent"] > 50


def test_long_batches_may_cost_less(ask, falling) -> None:
    assert asked(ask, falling - 0.05 * TOKENS / 1000 + 1).verdict is YES


def test_a_loss_of_its_own(ask, falling) -> None:
    assert asked(ask, falling).verdict is NO


def test_a_counter_and_another_series_are_no_content(ask, falling) -> None:
    loss = falling + 0.3 * TOKENS / 1000
    assert asked(ask, loss, "num_tokens", np.cumsum(TOKENS)).verdict is UNKNOWN
    assert asked(ask, loss, "gpu_memory").verdict is UNKNOWN


def test_the_batch_size_is_content(ask, falling) -> None:
    size = np.where(np.arange(1000) % 40 == 39, 3.0, 32.0)
    parts = {"loss": falling + 2.0 * (size < 10), "batch_size": size}
    kind = Kind.PERIODIC_SPIKES
    assert ask("loss_follows_content", kind, 1, form=Form.EPOCH, **parts).verdict is YES


def test_few_common_points_tell_nothing(ask, falling) -> None:
    few = (np.arange(1, 51), TOKENS[:50])
    assert asked(ask, falling, "num_tokens", few).verdict is UNKNOWN


@pytest.mark.parametrize(("points", "verdict"), [(60, YES), (59, UNKNOWN)])
def test_sixty_common_points(ask, falling, points: int, verdict: Verdict) -> None:
    few = (np.arange(1, points + 1), TOKENS[:points])
    assert asked(ask, falling + TOKENS, "num_tokens", few).verdict is verdict
    # As many points of the loss.
    short = (np.arange(1, points + 1), (falling + TOKENS)[:points])
    assert asked(ask, short).verdict is verdict


def test_the_series_that_goes_with_it_most_is_named(ask, falling) -> None:
    other = np.random.default_rng(8).integers(1, 9, 1000).astype(float)
    extra = {"n_boxes": other, "num_tokens": TOKENS, "n_labels": other[::-1].copy()}
    kind, loss = Kind.OSCILLATION, falling - TOKENS
    found = ask("loss_follows_content", kind, 1, 1, 1000, form=Form.NOISE, loss=loss, extra=extra)
    assert (found.verdict, found.values["name"]) == (YES, "num_tokens")
    assert found.values["percent"] == pytest.approx(100, abs=1)
