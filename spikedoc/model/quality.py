"""Which way a quality metric is better, by the words of its name."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.model.diversity import counts_codes
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Series

HIGHER_IS_BETTER: Final = 1
LOWER_IS_BETTER: Final = -1
LOSSES: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)
# Whole words count: an `answer_accuracy` holds no word error rate.
LOWER_WORDS: Final = frozenset(
    ["mae", "mse", "rmse", "err", "wer", "cer", "fid", "perplexity", "ppl", "nll"]
)
LOWER_ENDINGS: Final = ("loss", "error")
HIGHER_WORDS: Final = frozenset(
    [
        *("acc", "f1", "auc", "auroc", "ap", "map", "bleu", "rouge", "dice", "iou", "r2", "psnr"),
        *("ssim", "top", "top1", "top5", "exact", "em", "reward", "score", "win", "return"),
        *("fitness", "likelihood", "loglik", "loglikelihood"),
    ]
)
HIGHER_BEGINNINGS: Final = ("acc", "map", "bleu", "rouge", "precision", "recall")
HIGHER_ENDINGS: Final = ("acc", "accuracy", "iou", "auc", "reward", "score")
WORDS: Final = re.compile("[a-z]+[0-9]*")
DIGITS: Final = "0123456789"
ACCURACY: Final = "acc"
# Wrong words or characters as a share of those that were said.
ERROR_RATES: Final = frozenset({"wer", "cer"})
# Overlap of what was found with what is there, of areas: from 0 to 1.
OVERLAPS: Final = frozenset({"dice", "dsc", "iou", "miou", "jaccard"})
# A model that is wrong three times out of four is not sure of too much: it has not learned.
POOR_ACCURACY: Final = 0.25
# No share is above 1: who logs such numbers counts in percent.
PERCENT: Final = 100.0


def is_accuracy(series: Series) -> bool:
    """Return whether the name of a quality metric says that it is an accuracy."""
    return ACCURACY in series.tag.lower()


def as_shares(values: FloatArray) -> FloatArray:
    """Return accuracies as shares of 1, also where they were logged in percent."""
    return values / PERCENT if values.size and float(values.max()) > 1.0 else values


def is_error_rate(series: Series) -> bool:
    """Return whether the name of a quality metric says that it is a rate of wrong words or such."""
    return not ERROR_RATES.isdisjoint(WORDS.findall(series.tag.lower()))


def is_overlap(series: Series) -> bool:
    """Return whether the name of a quality metric says that it is the overlap of two areas."""
    return not OVERLAPS.isdisjoint(WORDS.findall(series.tag.lower()))


def is_poor_accuracy(series: Series) -> bool:
    """Return whether a share of right answers never gets above a quarter."""
    values = series.finite()[1]
    if not is_accuracy(series) or values.size == 0:
        return False
    return 0.0 <= float(values.min()) <= float(values.max()) <= POOR_ACCURACY


def direction(series: Series) -> int | None:
    """Return +1 when higher is better, -1 when lower is, None when role and name do not tell."""
    if series.metric in LOSSES:
        return LOWER_IS_BETTER
    if series.metric is Metric.REWARD:
        return HIGHER_IS_BETTER
    if counts_codes(series.tag):
        return None  # the perplexity of a codebook is no perplexity of a language model
    found = WORDS.findall(series.tag.lower())
    words = [*found, *(word.rstrip(DIGITS) for word in found)]  # `fid50` is an fid
    if any(word in LOWER_WORDS or word.endswith(LOWER_ENDINGS) for word in words):
        return LOWER_IS_BETTER
    if any(
        word in HIGHER_WORDS or word.startswith(HIGHER_BEGINNINGS) or word.endswith(HIGHER_ENDINGS)
        for word in words
    ):
        return HIGHER_IS_BETTER
    return None
