"""Contrastive losses at the level of guessing within a batch, and others."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog


def ask_at(ask, level: float, batch: int | None = 128, method: str = "simclr") -> Verdict:
    loss = level + 0.001 * np.sin(np.arange(200) * 2.0)
    config = {"method": method} | ({} if batch is None else {"batch_size": batch})
    said = ask("guesses_within_batch", Kind.NON_CONVERGENCE, 1, 200, loss=loss, config=config)
    return said.verdict


@pytest.mark.parametrize(
    "method", ["simclr", "MoCo-v2", "InfoNCE", "nt_xent", "open_clip", "x/info_nce"]
)
def test_a_guess_among_the_batch(ask, method: str) -> None:
    assert ask_at(ask, math.log(128), method=method) is Verdict.SUPPORTS


@pytest.mark.parametrize("method", ["resnet50", "gradient_clip", "cross_entropy", ""])
def test_other_losses_have_no_batch_to_guess_in(ask, method: str) -> None:
    assert ask_at(ask, math.log(128), method=method) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (math.log(255), Verdict.SUPPORTS),  # the other views of 128 pairs
        (1.009 * math.log(128), Verdict.SUPPORTS),
        (0.991 * math.log(128), Verdict.SUPPORTS),
        (1.02 * math.log(128), Verdict.REFUTES),
        (0.98 * math.log(128), Verdict.REFUTES),
        (1.0, Verdict.REFUTES),
    ],
)
def test_how_close_it_is(ask, level: float, said: Verdict) -> None:
    assert ask_at(ask, level) is said


@pytest.mark.parametrize("batch", [None, 2, 3])
def test_the_batch_has_to_be_known(ask, batch: int | None) -> None:
    assert ask_at(ask, math.log(3), batch=batch) is Verdict.UNKNOWN


def test_the_name_of_the_loss_is_enough() -> None:
    rng = np.random.default_rng(4)
    level = math.log(128) + 0.003 * rng.normal(size=300)
    made = replace(load_frame({"contrastive_loss": level}), config={"batch_size": 128})
    report = diagnose(made, load_catalog(None))
    cause = report.causes[0]
    assert cause.rule.code == "SD615"
    (said,) = (e for e in cause.evidence if e.verdict is Verdict.SUPPORTS)
    assert "within a batch of 128 (ln 128 = 4.852)" in said.statement.en
    assert "128 个样本的批次内" in said.statement.zh
