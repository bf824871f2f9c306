"""Words by which printed lines name quantities of training: the one list that all layouts share.

The tests hold it to `metric_aliases.toml`: a name with a role there is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Word:
    """A word for a quantity, and what it takes for a line about it to be a record."""

    pattern: str  # in a name, case ignored
    stems: str  # set apart by |: one of them is in every line in lower case that has the word
    is_bare: bool = True  # may stand before its number without a sign between
    is_placed: bool = True  # a line that names a step or an epoch is a record for it
    is_sure: bool = False  # so is one that names no place and is hardly more than numbers


WORDS: Final = (
    Word(r"loss", "loss", is_sure=True),
    Word(r"acc(?:uracy|uracies)?(?![a-z]{5})", "acc", is_sure=True),
    Word(r"perplexity|ppl", "perplexity|ppl", is_sure=True),
    Word(r"reward", "reward", is_sure=True),
    Word(r"(?<![a-z])error", "error", is_sure=True),
    Word(r"dice|(?<![a-z])dsc(?![a-z])|io[ _]?u", "dice|dsc|iou|io u|io_u", is_sure=True),
    Word(r"bleu", "bleu", is_sure=True),
    Word(r"grad.?norm", "grad", is_sure=True),
    Word(
        r"^[gd]_(?!model|ff|inner|head|embed|state|conv|hid|type)\w",
        "g_|d_",
        is_bare=False,
        is_sure=True,
    ),
    Word(
        r"(?<![a-z])nll(?![a-z])|elbo|log.?lik(?:elihood)?",
        "nll|elbo|loglik|log_lik|log lik|likelihood",
        is_sure=True,
    ),
    Word(r"mse", "mse", is_sure=True),
    Word(r"(?<![a-z])lr|learning.?rate", "lr|learning"),
    Word(r"err(?:or)?s?(?![a-z])", "err"),
    Word(r"score", "score"),
    Word(r"grad(?!e[sd]?(?![a-z]))|(?<![a-z])g.?norm|grdn", "grad|gnorm|g_norm|g norm|grdn"),
    Word(r"norms?(?![a-z])", "norm", is_bare=False),
    Word(r"auc|auroc|(?<![a-z])roc(?![a-z])", "auc|auroc|roc"),
    Word(r"(?<![a-z])(?:f1|r2|mae|mcc|mrr|fid)(?![a-z])", "f1|r2|mae|mcc|mrr|fid"),
    Word(r"(?<![a-z])[wc]er(?![a-z])", "wer|cer"),
    Word(
        r"psnr|ssim|lpips|kappa|meteor|cider|ndcg|jaccard|pearson|spearman",
        "psnr|ssim|lpips|kappa|meteor|cider|ndcg|jaccard|pearson|spearman",
    ),
    Word(r"fitness|(?<![a-z])(?:average|avg|mean)?ep.?ret(?![a-z])", "fitness|ep ret|ep_ret|epret"),
    Word(r"rouge|hella|exact.?match", "rouge|hella|exact"),
    Word(r"(?:success|hit|win).?rate", "rate"),
    Word(r"top.?[15](?!\d)|hits?@\d", "top|hit@|hits@"),
    Word(r"(?<![a-z])(?:average)?prec(?:ision)?(?![a-z])|recall", "prec|recall"),
    Word(r"entropy|(?<![a-z])xent(?![a-z])", "entropy|xent"),
    Word(r"(?<![a-z])(?:bpb|bpc|bpd)(?![a-z])|bits.per.\w", "bpb|bpc|bpd|bits"),
    Word(r"log.?prob|likelihood", "prob|likelihood"),
    Word(r"(?<![a-z])rew(?![a-z])|eprewmean|averagereturn", "rew|averagereturn"),
    Word(r"(?<![a-z])returns?(?![a-z])(?!.(?:code|value|status))", "return"),
    # they are words of prose, too, or parts of many others
    Word(r"(?<![a-z])(?:cost|objective|energy)(?![a-z])", "cost|objective|energy", is_bare=False),
    Word(
        r"(?<![a-z])(?:map|m?ap[@ _]?\d{1,3}|m?ar@\d{1,3}|r@\d{1,3}|ap.?[sml])(?![a-z])",
        "map|ap|ar@|r@",
        is_bare=False,
    ),
    Word(r"(?<![a-z])kl(?:d|.div)|surrogate", "kl|surrogate"),
    Word(r"(?<![a-z])l2.?(?:updates|params)|contrastive", "l2|contrastive", is_bare=False),
    Word(r"(?:^|val(?:id|idation)?[ _/.])total$", "total:|total=", is_bare=False),
    Word(
        r"(?<![a-z])(?:ap|ar|em|margins)(?![a-z])|(?<![a-z])(?:per|ce|bce|lm)$|epoch.average$",
        "ap:|ap=|r:|r=|m:|m=|ce:|ce=|ap |ar |em |ap_|ar_|em_|average|margins",
        is_bare=False,
    ),
    Word(r"scaler|(?:amp|fp16|cur(?:rent)?).?scale(?![a-z])", "scale", is_bare=False),
    Word(r"logits?", "logit", is_bare=False),
    Word(r"(?:moment|moment[a-z]{2,4} buffer|variance|exp.avg.sq)", "moment", is_bare=False),
    # how a training runs, beside what it reaches
    Word(r"norm|scale(?![a-z])|rate(?![a-z])|(?<![a-z])kl|mfu|return", "", is_placed=False),
    Word(r"(?<![a-z])map|top.?[15]|prec|[wcp]er(?![a-z])", "", is_placed=False),
)


def _any_of(words: Iterable[Word]) -> re.Pattern[str]:
    return re.compile("|".join(word.pattern for word in words), re.IGNORECASE)


BARE: Final = _any_of(word for word in WORDS if word.is_bare)
PLACED: Final = _any_of(word for word in WORDS if word.is_placed)
SURE: Final = _any_of(word for word in WORDS if word.is_sure)
# A line in lower case without any of them is looked at no further.
STEMS: Final = tuple(
    dict.fromkeys(stem for word in WORDS if word.is_placed for stem in word.stems.split("|"))
)
