"""How the first non-finite value came about: at which update, out of what level, in which terms."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    UNKNOWN,
    answer,
    is_held_out,
    is_nonfinite_form,
    lacking,
    saying,
    short,
)
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.text import Text

# Adam with fp16 weights breaks at the first update or the second; with gradients accumulated over
# micro-batches that is within so many records.
FIRST_RECORDS: Final = 10
# The log must begin at the beginning, or the first updates are not in it.
FIRST_STEPS: Final = 10
# Calm: the last values lie below twice the level before; at least so many values to say so.
LAST_POINTS: Final = 3
CALM_FACTOR: Final = 2.0
CALM_FEWEST: Final = 4
# The largest number of half precision, and a loss that never came near it otherwise.
HALF_MAX: Final = 65504.0
HALF_SQUARE: Final = HALF_MAX**2  # what a squared error of outputs in half precision is at most
USUAL_SHARE: Final = 0.01
# A term this far above all it was before has left its level, finite or not.
LEFT_FACTOR: Final = 10.0
# … and of a mean term without anything before it, one of this size has.
LEFT_LEVEL: Final = 1e4
TINY: Final = 1e-12
# More names than these hide the sentence.
NAMES_SHOWN: Final = 3


def _first_bad(series: Series) -> int | None:
    """Return the index of the first non-finite value; None when all are finite."""
    bad = ~series.is_finite
    return int(np.argmax(bad)) if bool(bad.any()) else None


def broken_loss(case: Case) -> tuple[Series, int] | None:
    """Return the loss and the index of its first non-finite value; None where it has none."""
    loss = case.run.get(Metric.LOSS)
    if loss is None or not is_nonfinite_form(case):
        return None
    first = _first_bad(loss)
    return None if first is None else (loss, first)


def _breaks_in_first_updates(case: Case) -> Answer:
    found = broken_loss(case)
    if found is None:
        return UNKNOWN
    loss, first = found
    if int(loss.steps[0]) > FIRST_STEPS or loss.stride > FIRST_STEPS or _counts_epochs(case, loss):
        return UNKNOWN
    early = 0 < first <= FIRST_RECORDS
    return answer(early, count=first, step=int(loss.steps[first]))


def _counts_epochs(case: Case, loss: Series) -> bool:
    """Return whether each record is an epoch: hundreds of updates lie between two of them."""
    if case.run.config.get("steps_per_epoch") == 1:
        return True
    notes = [note.en for source in case.run.sources for note in source.notes]
    if any("epoch" in note and "step" in note for note in notes):
        return True
    epochs = case.run.get(Metric.EPOCH)
    if epochs is None or len(epochs) != len(loss) or len(epochs) < 2:
        return False
    if not bool(epochs.is_finite.all()):
        return False
    return bool(np.all(np.diff(epochs.values) >= 1.0))


def _calm_until_nonfinite(case: Case) -> Answer:
    found = broken_loss(case)
    if found is None:
        return UNKNOWN
    loss, first = found
    before = loss.values[:first]
    if before.size < CALM_FEWEST or float(np.median(before)) <= 0:
        return UNKNOWN
    if _a_term_left(case, int(loss.steps[first])):
        return UNKNOWN  # the sum was calm while one of its terms ran away
    level, highest = float(np.median(before)), float(before[-LAST_POINTS:].max())
    return answer(highest < CALM_FACTOR * level, level=short(level), highest=short(highest))


def _loss_beyond_half(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or not is_nonfinite_form(case):
        return UNKNOWN
    values = np.abs(loss.finite()[1])
    if values.size < CALM_FEWEST:
        return UNKNOWN
    level, highest = float(np.median(values)), float(values.max())
    beyond = highest > HALF_MAX
    if beyond and (level >= USUAL_SHARE * HALF_MAX or highest > HALF_SQUARE):
        return UNKNOWN
    return answer(beyond, highest=short(highest), level=short(level))


def _a_term_left(case: Case, step: int) -> bool:
    """Return whether a term still has a value at `step`, one far above all it was before."""
    for term in case.run.all(Metric.LOSS_COMPONENT):
        here = np.abs(term.values[(term.steps == step) & term.is_finite])
        before = np.abs(term.values[(term.steps < step) & term.is_finite])
        if here.size and before.size and here[0] > LEFT_FACTOR * max(before.max(), TINY):
            return True
    return False


def _goes_on(term: Series, step: int) -> bool:
    """Return whether a term is logged from `step` on, finite and not far above its level."""
    at = term.index_at(step)
    after, before = term.values[at:], term.values[:at][term.is_finite[:at]]
    if after.size == 0 or not bool(np.isfinite(after).all()):
        return False
    if not bool(np.any(after != 0.0)):
        return False  # a term of 0 was not computed
    if before.size == 0:
        return float(np.abs(after[0])) < LEFT_LEVEL
    return float(np.abs(after).max()) <= LEFT_FACTOR * max(float(np.abs(before).max()), TINY)


def _ran_away(term: Series, first: int) -> bool:
    """Return whether the last values before `first` had left the level before them."""
    before = np.abs(term.values[:first])
    if before.size <= LAST_POINTS:
        return False
    usual = float(np.median(before[:-LAST_POINTS]))
    return float(before[-LAST_POINTS:].min()) > LEFT_FACTOR * max(usual, TINY)


def _some_terms_finite(case: Case) -> Answer:
    terms = [s for s in case.run.all(Metric.LOSS_COMPONENT) if len(s)]
    if not is_nonfinite_form(case):
        return UNKNOWN if terms else lacking(Metric.LOSS_COMPONENT)
    broken = [(s, i) for s in terms if (i := _first_bad(s)) is not None]
    if len(terms) < 2 or not broken:
        told = _validation_finite(case)
        return told if terms or told.holds else lacking(Metric.LOSS_COMPONENT)
    term, first = min(broken, key=lambda found: int(found[0].steps[found[1]]))
    step = int(term.steps[first])
    if _ran_away(term, first):
        return UNKNOWN  # the others need not show yet what drove this one up
    seen = [s for s in terms if _goes_on(s, step)]
    shown = [s.spoken for s in seen[:NAMES_SHOWN]] + ["..."] * (len(seen) > NAMES_SHOWN)
    names = " / ".join(shown)  # one mark for both languages
    return answer(bool(seen), term=term.spoken, step=step, count=len(seen), names=names)


def _validation_finite(case: Case) -> Answer:
    """Return what a finite validation after the break tells; one that breaks tells nothing."""
    found, val = broken_loss(case), case.run.get(Metric.VAL_LOSS)
    if found is None or val is None or is_held_out(case) or _ran_away(*found):
        return UNKNOWN
    step = int(found[0].steps[found[1]])
    after = val.values[val.index_at(step) :]
    after = after[np.isfinite(after)]
    if not after.size:
        return UNKNOWN
    once = after.size == 1
    return saying(
        answer(True, step=step, count=int(after.size), value=short(float(after[-1]))),
        "Validation gives {value} after training broke at step {step}: the weights were sound "
        "then, or it was made before"
        if once
        else "Validation is finite {count} times after training broke at step {step} ({value} at "
        "last): the weights are sound",
        "训练在第 {step} 步失效后验证损失为 {value}：当时权重完好，或验证在此之前进行"
        if once
        else "训练在第 {step} 步失效后验证损失仍有 {count} 次有限（最后为 {value}）：权重完好",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "breaks_in_first_updates",
        Text("Did the loss break within the first updates?", "损失是否在最初几次更新之内就失效？"),
        Text(
            "After {count} finite {count|value|values} the loss is non-finite at step {step}: "
            "within the first updates",
            "只有 {count} 个有限值，第 {step} 步损失就非有限：发生在最初几次更新之内",
        ),
        Text(
            "The loss broke at step {step}, after {count} finite {count|value|values}: not with "
            "the first update",
            "损失在第 {step} 步失效，此前有 {count} 个有限值：不是第一次更新造成的",
        ),
        _breaks_in_first_updates,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "calm_until_nonfinite",
        Text(
            "Was the loss at its usual level right up to the first non-finite value?",
            "直到第一个非有限值之前，损失是否一直处于平常水平？",
        ),
        Text(
            "The loss was calm until it broke (at most {highest}, level {level}): nothing ran away",
            "损失在失效之前一直平稳（最高 {highest}，水平 {level}），没有失控增长",
        ),
        Text(
            "The loss had left its level before it broke ({highest}, level {level})",
            "损失在失效之前已经偏离原有水平（{highest}，水平 {level}）",
        ),
        _calm_until_nonfinite,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_beyond_half",
        Text(
            "Did the loss pass the largest number of half precision?",
            "损失是否超过半精度所能表示的最大值？",
        ),
        Text(
            "The loss reached {highest}, beyond the 65504 of half precision, out of a level of "
            "{level}",
            "损失从 {level} 的水平达到 {highest}，超过半精度的上限 65504",
        ),
        Text(
            "The finite losses stay within the range of half precision (at most {highest})",
            "有限的损失值都在半精度范围内（最高 {highest}）",
        ),
        _loss_beyond_half,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "some_terms_finite",
        Text(
            "Did other terms of the loss, or validation, stay finite when one broke?",
            "某项损失失效时，其他分量或验证损失是否仍为有限值？",
        ),
        Text(
            "{term} broke at step {step} while {count} other {count|term|terms} stayed finite "
            "({names}): the weights are intact, this term is not",
            "{term} 在第 {step} 步失效，而另外 {count} 个分量仍为有限值（{names}）：权重完好，"
            "问题在该分量",
        ),
        Text(
            "From step {step} on no term of the loss is finite ({term} first)",
            "自第 {step} 步起所有损失分量都非有限（{term} 最先）",
        ),
        _some_terms_finite,
    ),
)
