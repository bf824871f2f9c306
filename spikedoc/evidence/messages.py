"""What the framework itself said in a printed log about the operation that gave NaN."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.evidence._answers import BROKEN, UNKNOWN, answer, asked_of
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.text import Text

# torch: "Function 'LogBackward0' returned nan values in its 0th output."
NAMED: Final = re.compile(r"Function '([A-Za-z]+?)Backward\d*' returned nan values")
# numpy, where a loss or its targets are computed by it: "invalid value encountered in log". A
# division is not among them: most such warnings come from a mean or a score over nothing.
WARNED: Final = re.compile(
    r"RuntimeWarning: (?:invalid value|divide by zero) encountered in "
    r"(log|log2|log10|log1p|sqrt|power|arccos|arcsin)\b"
)
# A label sequence that is empty, or longer than what it is aligned to: CTC is infinite for it.
# TensorFlow, warp-ctc and torch-based trainers in their own words.
UNFIT: Final = re.compile(
    r"No valid path found|label length (?:is )?(?:zero|0\b|exceeds)|"
    r"labels? (?:is |are )?longer than (?:the )?(?:input|logit)|"
    r"label_?length .{0,30}(?:>|larger|greater|longer|exceeds)",
    re.IGNORECASE,
)
ALIGNED: Final = "CTC"
# Operations with an edge at which value or derivative is not finite: logarithm and power at 0, root
# at 0, division by 0, norm of nothing, arc functions at 1, and losses made of them.
EDGES: Final = frozenset(
    {
        *("Log", "Log2", "Log10", "Log1P", "Sqrt", "Rsqrt", "Pow", "Div", "Reciprocal", "Norm"),
        *("LinalgVectorNorm", "Acos", "Asin", "Atan2", "Xlogy", "KlDiv", "BinaryCrossEntropy"),
        *(
            ALIGNED,
            "LogSigmoid",
            "Logit",
            "Digamma",
            "Lgamma",
            "Erfinv",
            "Mean",
            "NllLoss",
            "NllLoss2D",
        ),
    }
)
# Operations that give NaN when inf goes in: products of matrices, and a softmax over them.
PRODUCTS: Final = frozenset(
    {
        *("Mm", "Addmm", "Bmm", "Baddbmm", "Mv", "Dot", "Matmul", "Convolution", "Softmax"),
        *("LogSoftmax", "ScaledDotProductEfficientAttention", "ScaledDotProductFlashAttention"),
        *("NativeLayerNorm", "NativeBatchNorm", "CudnnBatchNorm", "Exp"),
    }
)


def _named(case: Case) -> tuple[str, int | None] | None:
    """Return the operation named first, and the step of the message; None without a message."""
    for step, line in case.run.events:
        match = NAMED.search(line) or WARNED.search(line)
        if match is not None:
            return match[1], step
        if UNFIT.search(line):
            return ALIGNED, step
    return None


def _answer(case: Case, family: frozenset[str]) -> Answer:
    found = _named(case)
    if found is None:
        return UNKNOWN
    name, step = found
    numpy = name.islower()  # numpy names functions, torch classes
    return answer(
        name in family or (numpy and family is EDGES),
        name=name,
        step=case.anomaly.start_step if step is None else step,
    )


def _nan_from_an_edge(case: Case) -> Answer:
    return _answer(case, EDGES)


def _nan_from_a_product(case: Case) -> Answer:
    return _answer(case, PRODUCTS)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "nan_from_an_edge",
        Text(
            "Does the log name an operation that breaks at the edge of its range?",
            "日志是否点名了一个在定义域边缘出错的算子？",
        ),
        Text(
            "The framework names {name} (near step {step}), which is not finite at the edge of its "
            "range",
            "框架点名的算子是 {name}（第 {step} 步附近），它在定义域边缘会得到非有限值",
        ),
        Text(
            "The framework names {name} (near step {step}), which has no such edge: look at the "
            "operation next to it towards the loss",
            "框架点名的算子是 {name}（第 {step} 步附近），它没有这样的边缘：看更靠近损失的那个算子",
        ),
        asked_of(BROKEN, _nan_from_an_edge),
    ),
    Probe(
        "nan_from_a_product",
        Text(
            "Does the log name a matrix product or softmax as the source of NaN?",
            "日志是否点名矩阵乘法或 softmax 产生了 NaN？",
        ),
        Text(
            "The framework names {name} (near step {step}): it gives NaN when an infinity goes in",
            "框架点名的算子是 {name}（第 {step} 步附近）：输入里有无穷大时它就得到 NaN",
        ),
        Text(
            "The framework names {name} (near step {step}), neither a matrix product nor a softmax",
            "框架点名的算子是 {name}（第 {step} 步附近），既不是矩阵乘法也不是 softmax",
        ),
        asked_of(BROKEN, _nan_from_a_product),
    ),
)
