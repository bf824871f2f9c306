"""Every outcome of every experiment says what it proves, in both languages."""

from __future__ import annotations

import re

import pytest

from spikedoc.comparison.experiments import conclusions, remedy
from spikedoc.comparison.result import Change, Verdict

CLOSED = [verdict for verdict in Verdict if verdict is not Verdict.CANNOT_TELL]
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("change", Change)
@pytest.mark.parametrize("verdict", CLOSED)
def test_all_is_said_in_both_languages(change: Change, verdict: Verdict) -> None:
    for text in conclusions(change, verdict):
        assert text.en.isascii()
        assert text.en.endswith(".")
        assert CHINESE.search(text.zh)
        assert text.zh.endswith("。")
        assert re.findall("`([^`]+)`", text.en) == re.findall("`([^`]+)`", text.zh)


@pytest.mark.parametrize(
    "reason", ["no-event", "not-covered", "no-signal", "not-logged", "too-short"]
)
def test_every_reason_has_a_remedy(reason: str) -> None:
    assert CHINESE.search(remedy(reason).zh)


def test_a_calm_repeat_is_weak_evidence() -> None:
    proves, proves_not, next_ = conclusions(Change.REPEAT, Verdict.NOT_REPRODUCED)
    assert proves.en.startswith("Little")
    assert "sampler position and generator states" in proves_not.en
    assert "all-reduce" in next_.en
    assert "cudnn.benchmark" in next_.en


def test_the_three_way_test() -> None:
    """Same checkpoint and other data, older checkpoint and same data: corrections and knowledge."""
    assert "data alone" in conclusions(Change.STATE, Verdict.SAME_STEP)[0].en
    assert "not the cause" in conclusions(Change.DATA, Verdict.SAME_STEP)[0].en
    assert (
        "the data of that step are needed" in conclusions(Change.DATA, Verdict.NOT_REPRODUCED)[0].en
    )
    assert "together" in conclusions(Change.STATE, Verdict.NOT_REPRODUCED)[0].en
    again = conclusions(Change.REPEAT, Verdict.SAME_STEP)
    assert "--changed data" in again[2].en
    assert "--changed state" in again[2].en


def test_nan_in_fp16_alone_speaks_for_the_numbers() -> None:
    proves, proves_not, _ = conclusions(Change.PRECISION, Verdict.NOT_REPRODUCED)
    assert "numbers" in proves.en
    assert "Which operation" in proves_not.en


def test_one_card_good_and_many_bad() -> None:
    assert "distribution" in conclusions(Change.DEVICES, Verdict.NOT_REPRODUCED)[0].en


def test_the_rate_was_too_high() -> None:
    assert "too high" in conclusions(Change.LR, Verdict.NOT_REPRODUCED)[0].en
