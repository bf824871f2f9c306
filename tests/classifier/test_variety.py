"""The labels of what collapsed."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
from spikedoc.classifier.wording import summarise
from spikedoc.ingest import load_frame
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.pipeline import detect

POINTS = 200
AT = np.arange(POINTS) >= 60
NOISE = 0.01 * np.random.default_rng(1).standard_normal(POINTS)
LOSS = np.where(AT, 1.0, 3.0 - np.arange(POINTS) / 30.0) + NOISE


def collapses(**columns: np.ndarray) -> list[Anomaly]:
    run = load_frame({name.replace("__", "/"): v.tolist() for name, v in columns.items()})
    return [a for a in classify(run, detect(run)) if a.kind is Kind.DIVERSITY_COLLAPSE]


@pytest.mark.parametrize(
    ("columns", "form"),
    [
        ({"loss": LOSS, "codebook_perplexity": np.where(AT, 9.0, 300.0)}, Form.CODES),
        ({"loss": LOSS, "moe/max_violation": np.where(AT, 6.0, 0.4)}, Form.EXPERTS),
        ({"loss": LOSS, "output_std": np.where(AT, 1e-6, 0.3)}, Form.FEATURES),
        ({"loss": LOSS, "attn_entropy": np.where(AT, 0.1, 4.0)}, Form.ATTENTION),
        ({"loss": NOISE, "reward": NOISE, "entropy": np.where(AT, 0.01, 2.0)}, Form.POLICY),
    ],
)
def test_each_form_is_a_warning_in_any_family(columns: dict[str, np.ndarray], form: Form) -> None:
    (found,) = collapses(**columns)
    assert (found.form, found.severity) == (form, Severity.WARNING)
    assert found.start_step in (60, 61)


def test_the_number_of_experts_is_told_as_such() -> None:
    loads = {f"expert_{i}/load": np.where(AT, float(i == 2), 0.25) for i in range(4)}
    (found,) = collapses(loss=LOSS, **loads)
    told = summarise(found)
    assert "over 4 before" in told.en
    assert "expert_2/load is the busiest" in told.en
    assert "此前为 4 个" in told.zh


def test_a_healthy_run_has_none() -> None:
    assert collapses(loss=LOSS, codebook_perplexity=np.where(AT, 200.0, 300.0)) == []
