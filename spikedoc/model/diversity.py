"""Quantities that must stay up while a network learns: codes, experts, features, actions in use.

Which series they are is told by the tag, as the frameworks write it; the table below is all there
is to extend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from spikedoc.model.label import Form
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series

_SEPARATORS: Final = re.compile(r"[/._\-: ()\[\]]+")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measure of variety, by the words of its tag (joined by single spaces, lower case).

    Collapsed is a level of at most `floor` times the best one; where `rises`, the quantity grows as
    variety is lost: at least `1 / floor` times the lowest one and at least `bound`. A best level
    below `least` tells nothing.
    """

    form: Form
    tag: re.Pattern[str]
    floor: float
    rises: bool = False
    bound: float = 0.0
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Variety:
    """One quantity of a run; `sign` is -1 where the log holds it with its sign turned.

    `experts` is their number where the load of each is logged: the values are then not those under
    the name but the number of experts that would share the load evenly.
    """

    quantity: Quantity
    series: Series
    sign: float = 1.0
    experts: int = 0


# A seventh of the codes: VQ models in health keep a third of their codebook and more in use
# (measured on small ones: .4 to .9 of their best perplexity), collapsed ones a tenth and less.
CODES_FLOOR: Final = 0.15
# The standard deviation of normalised features is 1 / sqrt(d) in health and 0 when collapsed
# (arXiv:2011.10566, figure 2); nothing in between was seen there.
FEATURES_FLOOR: Final = 0.05
# A policy that has spent 95 % of its entropy samples one action nearly always.
POLICY_FLOOR: Final = 0.05
# Uniform attention has ln(T) nats, trained heads keep about a third; collapsed ones are near 0
# (arXiv:2303.06296).
ATTENTION_FLOOR: Final = 0.1
# Balanced experts are all in use; with a third of them no more than one group is.
EXPERTS_FLOOR: Final = 1.0 / 3.0
# The busiest expert gets three times its share (a violation of 2): beyond what a capacity factor of
# 1.25 to 2 allows (arXiv:2101.03961, arXiv:2408.15664).
VIOLATION: Final = 2.0
# Half of all tokens have no expert.
DROPPED: Final = 0.5
# The balance loss is 1 at an even load (arXiv:2101.03961, equation 4, without its weight), or as
# many as there are layers or choices. What is lower holds its weight, of .001 to .01 in use, which
# may be switched on or ramped: its growth tells nothing of the load.
UNWEIGHTED: Final = 0.9

_CODE: Final = r"(?:prob|codes|codebook|code ?vector|codevec|vq|rvq|quantizer|quantize)"
_EXPERT: Final = r"(?:moe|experts?|router|routing|gating)"
QUANTITIES: Final[tuple[Quantity, ...]] = (
    Quantity(
        Form.CODES,
        re.compile(
            rf"(?:.* )?{_CODE}(?: \d+)? (?:perplexity|ppl|entropy|usage|utili[sz]ation)(?: \d+)?"
            r"|(?:.* )?code(?: \d+)? (?:usage|utili[sz]ation)(?: \d+)?"
            r"|(?:.* )?(?:num )?(?:used|active|unique) (?:codes|codewords|code ?vectors)(?: \d+)?"
        ),
        CODES_FLOOR,
    ),
    Quantity(
        Form.EXPERTS,
        re.compile(
            r"(?:.* )?(?:(?:num )?(?:active|used) experts|experts? (?:utili[sz]ation|usage)"
            r"|(?:experts?|load) entropy|e frac with tokens(?: mean)?)"
        ),
        EXPERTS_FLOOR,
    ),
    Quantity(
        Form.EXPERTS,
        re.compile(
            r"(?:.* )?(?:max ?vio(?:lation)?(?: global| batch| micro)?|e max violation mean)"
        ),
        EXPERTS_FLOOR,
        rises=True,
        bound=VIOLATION,
    ),
    Quantity(
        Form.EXPERTS,
        re.compile(
            r"(?:.* )?(?:load balanc(?:e|ing)(?: aux)? loss"
            r"|(?:lb|(?:moe|router)(?: aux)?) loss|l aux)"
        ),
        EXPERTS_FLOOR,
        rises=True,
        least=UNWEIGHTED,
    ),
    Quantity(
        Form.EXPERTS,
        re.compile(
            rf"(?:.* )?{_EXPERT} (?:.* )?(?:drop(?:ped)? (?:tokens? )?(?:frac(?:tion)?|rate|ratio))"
        ),
        EXPERTS_FLOOR,
        rises=True,
        bound=DROPPED,
    ),
    # Not the std of a latent or of `z`: that of a posterior shrinks as an autoencoder learns.
    Quantity(
        Form.FEATURES,
        re.compile(
            r"(?:.* )?"
            r"(?:features?|feat|embeddings?|embed|emb|representation|repr|output)"
            r" std(?: mean)?|(?:.* )?(?:effective rank|eff rank|erank|rankme)"
        ),
        FEATURES_FLOOR,
    ),
    Quantity(
        Form.ATTENTION,
        re.compile(r"(?:.* )?(?:attn|attention) entropy(?: mean| min)?"),
        ATTENTION_FLOOR,
    ),
)
POLICY: Final = Quantity(
    Form.POLICY,
    re.compile(r"(?:.* )?(?:policy )?entropy(?: loss| mean| avg)?"),
    POLICY_FLOOR,
)
# Words that make an entropy something else than that of the actions taken.
OTHER_ENTROPY: Final = re.compile(
    r"cross|coef|target|bonus|weight|beta|attn|attention|expert|router|gate|code|load|data|label"
)
# The load of each expert is one series: `moe/expert_3/load`, `tokens_expert_12`.
LOAD: Final = re.compile(
    r"(?:.* )?experts? ?\d+(?: (?:load|tokens|count|usage|frac(?:tion)?|share|util\w*))?"
    r"|(?:.* )?(?:load|tokens|count|usage|frac(?:tion)?|share)(?: per)? experts? ?\d+"
)
MIN_EXPERTS: Final = 3
# Names of metrics are short; what is longer is no name, and patterns take their time on it.
LONGEST_TAG: Final = 200
NUMBER: Final = re.compile(r"\d+")
# A bare perplexity counts codes where the loss of a quantiser is named beside it, one of `code`
# (which may be source code) where anything of a quantiser is.
BARE_PERPLEXITY: Final = re.compile(r"(?:.* )?(?:perplexity|ppl)")
CODE_PERPLEXITY: Final = re.compile(r"(?:.* )?code(?: \d+)? (?:perplexity|ppl|entropy)(?: \d+)?")
PERPLEXITY: Final = re.compile(r"(?:.* )?(?:perplexity|ppl)(?: \d+)?")
# The logarithm of a language model's perplexity is its loss, in nats or bits: over the log the two
# move alike, to a fifth of the fall (means of the one are not quite those of the other).
LOSSES: Final = frozenset(
    [Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT]
)
PARTS: Final = 20
ALIKE: Final = 0.2
CODE_LOSS: Final = re.compile(
    r"(?:.* )?(?:vq|commit\w*|codebook|diversity|div|quanti\w*) loss(?: .*)?"
)


def words(tag: str) -> str:
    """Return the words of a tag, lower case, joined by single spaces; none of an endless one."""
    if len(tag) > LONGEST_TAG:
        return ""
    return " ".join(part for part in _SEPARATORS.split(tag.lower()) if part)


def counts_codes(tag: str) -> bool:
    """Return whether a tag may tell how many codes are in use, which is better when higher."""
    said = words(tag)
    return any(p.fullmatch(said) for p in (QUANTITIES[0].tag, CODE_PERPLEXITY))


def varieties(run: Run) -> Iterator[Variety]:
    """Yield what the run logs of its variety, each quantity the right way up.

    The loads of single experts come as one series for each layer, under the name of the busiest.
    """
    vq = any(CODE_LOSS.fullmatch(words(s.tag)) for s in run.series)
    for series in run.series:
        if series.rank is not None or len(series) == 0:
            continue
        found = _quantity(run, series, vq=vq)
        if found is not None:
            yield _upright(series) if found is POLICY else Variety(found, series)
    yield from _spreads_of_load(run)


def variety_named(run: Run, name: str) -> Variety | None:
    """Return the quantity that a detection in the series `name` is about; None without one."""
    return next((v for v in varieties(run) if v.series.name == name), None)


def _quantity(run: Run, series: Series, *, vq: bool) -> Quantity | None:
    said = words(series.tag)
    if _names_codes(run, said, vq=vq):
        told = PERPLEXITY.fullmatch(said) and _is_of_a_loss(run, series)
        return None if told else QUANTITIES[0]
    for quantity in QUANTITIES[1:]:
        if quantity.tag.fullmatch(said):
            return quantity
    acts = run.get(Metric.REWARD) is not None and not OTHER_ENTROPY.search(said)
    return POLICY if acts and POLICY.tag.fullmatch(said) else None


def _names_codes(run: Run, said: str, *, vq: bool) -> bool:
    tag = QUANTITIES[0].tag
    if tag.fullmatch(said) or (vq and BARE_PERPLEXITY.fullmatch(said)):
        return True
    if not CODE_PERPLEXITY.fullmatch(said):
        return False
    return vq or any(tag.fullmatch(words(s.tag)) for s in run.series)


def _is_of_a_loss(run: Run, series: Series) -> bool:
    """Return whether the logarithm of a perplexity moves as one of the losses does."""
    steps, values = series.finite()
    if values.size < PARTS or float(values.min()) <= 0:
        return False
    nats = np.log(values)
    for loss in run.series:
        at, known = loss.finite()
        if loss.metric not in LOSSES or known.size < PARTS:
            continue
        beside: FloatArray = np.interp(steps, at, known)
        for logarithm in (nats, nats / np.log(2.0)):
            parts = zip(*(np.array_split(x, PARTS) for x in (logarithm, beside)), strict=True)
            levels = np.array([(np.median(one), np.median(other)) for one, other in parts])
            apart = float(np.ptp(levels[:, 0] - levels[:, 1]))
            if apart < ALIKE * float(np.ptp(levels[:, 0])):
                return True
    return False


def _upright(series: Series) -> Variety:
    """Turn the sign back: Stable-Baselines3 logs minus the entropy, as a term of the loss."""
    known = series.values[series.is_finite]
    if known.size and float(np.median(known)) < 0 and float(known.max()) <= 0:
        return Variety(POLICY, replace(series, values=-series.values), -1.0)
    return Variety(POLICY, series)


def _spreads_of_load(run: Run) -> Iterator[Variety]:
    """Yield exp(entropy) of the shares of all experts at each step, for each group of experts."""
    groups: dict[str, list[Series]] = {}
    for series in run.series:
        if series.rank is None and len(series) and LOAD.fullmatch(words(series.tag)):
            prefix = NUMBER.sub("#", series.tag[::-1], count=1)[::-1]  # the last is the expert's
            groups.setdefault(prefix, []).append(series)
    for group in groups.values():
        same = all(np.array_equal(group[0].steps, s.steps) for s in group)
        if len(group) < MIN_EXPERTS or not same:
            continue
        table: FloatArray = np.array([s.values for s in group])
        busiest = group[int(np.argmax(np.nan_to_num(table[:, -1], nan=-1.0, posinf=-1.0)))]
        number = replace(busiest, values=effective_number(table))
        yield Variety(QUANTITIES[1], number, experts=len(group))


def effective_number(loads: FloatArray) -> FloatArray:
    """Return exp(entropy) of the shares in each column; NaN where they are no shares."""
    with np.errstate(all="ignore"):
        sums = loads.sum(axis=0)
        shares = loads / np.where((sums > 0) & np.isfinite(sums), sums, np.nan)
        terms = np.where(shares > 0, shares * np.log(shares), 0.0)
        number = np.exp(-terms.sum(axis=0))
    bad = np.isnan(shares).any(axis=0) | (shares < 0).any(axis=0)
    return np.where(bad, np.nan, number)
