"""Advice that must be there: each text says the telling thing, in both languages."""

from __future__ import annotations

import pytest

from spikedoc.model.knowledge import Action
from spikedoc.rules.loader import load_catalog

CATALOG = load_catalog()

# What a text must hold: the same in both languages, or `English|Chinese`.
ADVICE: dict[str, tuple[str, ...]] = {
    "check.save-scene": ("scaler.state_dict()", "SIGUSR1", "logits", "optimizer|优化器"),
    "check.input-by-kind": ("len(tokenizer)", "`inf`", "padding|填充", "silence|静音"),
    "check.batch-mixture": ("collections.Counter", "torch.initial_seed()", "one class|只有一类"),
    "check.replay-window": ('reduction="none"', "top eight|前八个"),
    "check.three-way-replay": ("(a)", "(b)", "(c)", "the two together|共同作用"),
    "check.seed-replay": ("NumPy", "torch", "sampler position|采样器位置", "weak evidence|弱证据"),
    "check.inspect-batch": ("x.min()", "torch.isfinite(x).all()", "ten samples|十个样本"),
    "check.input-statistics": ("ten samples|十个样本", "std|标准差"),
    "check.finite-inputs": ("torch.isfinite(x).all()", "in range|范围内"),
    "check.count-valid-labels": ("labels != -100", "NaN"),
    "check.sample-ids": ("five samples|五个样本", "rank"),
    "check.layer-grad-norms": ("named_parameters()", "output head|输出头", "embeddings|嵌入层"),
    "check.forward-hooks": ("upstream|上游", "mean|均值"),
    "check.anomaly-mode": (
        *("set_detect_anomaly(True)", "enable_check_numerics()", "jax_debug_nans"),
        *("not inf|不管 inf", "slower|慢"),
    ),
    "check.rerun-fp32": ("enabled=False", "same checkpoint|同一检查点"),
    "check.loss-scale-history": ("scaler.get_scale()", "normal|正常"),
    "check.dump-moments": ("exp_avg", "exp_avg_sq"),
    "check.step-order": ("scaler.unscale_(optimizer)", "last micro-batch|最后一个微批次"),
    "check.print-param-groups": ("optimizer.param_groups",),
    "check.lr-tenth-restart": ("tenth|十分之一", "too high|过高"),
    "check.lr-sweep": ("`1e-1`", "`1e-5`", "200", "500"),
    "check.overfit-small": ("32", "64", "data, batching|数据、批次"),
    "check.initial-loss": ("math.log(C)", "0.693"),
    "check.loss-by-hand": ("broadcast|广播", "logits"),
    "check.weight-decay-off": ("weight_decay=0",),
    "check.mode-and-checksum": ("model.training", "`True`"),
    "check.bn-reestimate": ("update_bn", "one forward pass|前向一遍"),
    "check.val-metric-decides": ("leave the training alone|不要动训练",),
    "check.smooth-for-eyes": ("0.98", "hides|掩盖"),
    "check.noise-against-grad": ("rolling|滚动",),
    "check.batch-times-four": ("halves|减半",),
    "check.lr-third-trial": ("200", "was\nnot the cause|原因就不在学习率"),
    "check.compare-resume-state": ("scheduler.last_epoch", "scaler.get_scale()"),
    "check.accumulation-one": ("one device|单卡", "1"),
    "check.parallel-bookkeeping": ("found_inf", "micro-batches|微批次", "tied|共享"),
    "check.deterministic-run": ("cudnn.benchmark = False",),
    "check.per-sample-loss-ranking": ("200", "five times|五倍"),
    "check.loss-against-size": ("5 %", "correlat|相关"),
    "check.adam-bound": ("3.16", "1000", "1/(1 - beta1)"),
    "check.prior-entropy": ("np.log(p)",),
    "fix.clip-at-p99": ("scaler.unscale_(optimizer)", "99", "once|一次"),
    "fix.lower-beta2": ("betas=(0.9, 0.95)",),
    "fix.skip-outlier-step": ("128", "six|六个"),
    "fix.raise-eps-to-rms": ("1e-6", "only here|只在"),
    "fix.rollback": ("lowest loss|损失最低",),
    "fix.rollback-and-skip": ("200", "500", "optimizer state|优化器状态"),
    "fix.lower-lr-rewarm": ("optimizer.param_groups", "base_lrs", "warm|预热"),
    "fix.watch": ("Leave the learning rate alone|不要动学习率",),
    "fix.finite-guard": ("torch.isfinite(loss)", "never\noverwrite|不要用"),
    "fix.save-full-state": ("optimizer.state_dict()", "scaler.state_dict()", "last three|最近三个"),
    "fix.safe-loss-form": ("torch.special.xlogy", "`1e-5`", "sigmoid", "with_logits", "1e-7"),
    "fix.architecture-gain": ("clip_grad_value_(model.parameters(), 5.0)", "Adam", "SGD"),
    "fix.fp32-scores": ("scaled_dot_product_attention", "d ** -0.5", "inf", "NaN"),
    "fix.cap-loss-scale": ("scaler.update(new_scale=", "growth_interval"),
    "fix.use-bf16": ("bf16=True",),
    "fix.drop-samples": ("mask|掩码",),
    "fix.relax-gamma": ("gamma",),
    "fix.sync-or-group-norm": ("convert_sync_batchnorm(model)",),
    "fix.ema-buffers": ("update_bn", "small data set|数据集很小"),
    "fix.larger-batch": ("gradient_accumulation_steps",),
    "fix.smooth-labels": ("label_smoothing=0.1", "learning rate|学习率"),
    "fix.lower-auxiliary-weight": ("tenth|十分之一",),
    "fix.log-batch-ids": ("hash(tuple(ids.tolist()))",),
    "fix.shuffle": ("sampler.set_epoch(epoch)", "same seed|种子保持相同"),
    "fix.bucket-jitter": ('train_sampling_strategy="group_by_length"',),
    "fix.leave-noise": ("learning rate|学习率",),
    "fix.check-warmup-unit": ("`warmup_steps`", "epoch"),
    "fix.decouple-decay": ("AdamW",),
    "fix.scale-lr-with-batch": ("square root|平方根", "warm-up|预热"),
    "fix.align-labels": ("(N, N)",),
    "fix.clamp-token-count": ("clamp(min=1)",),
}

WHY: dict[str, tuple[str, ...]] = {
    "SD102": ("first moment|一阶矩", "too large|过大"),
    "SD201": ("1/(1 - beta2)", "slow|很慢"),
    "SD207": ("tens of thousands|几万步",),
    "SD301": ("corner|拐角", "harmless|无害"),
    "SD401": ("65504", "inf - inf", "0 x inf|0 × inf"),
    "SD402": ("6e-5", "3e-8"),
    "SD404": ("logarithm|对数", "square root|平方根", "KL", "every weight|所有权重"),
    "SD704": ("last bits|末尾几位",),
}


def holds(text: str, wanted: str) -> bool:
    return " ".join(wanted.split()) in " ".join(text.split())


def missing(english: str, chinese: str, wanted: tuple[str, ...]) -> list[str]:
    out = []
    for fragment in wanted:
        en, _, zh = fragment.partition("|")
        if not holds(english, en) or not holds(chinese, zh or en):
            out.append(fragment)
    return out


def said(action: Action) -> tuple[str, str]:
    """Return all an action may say, with numbers and without, per language."""
    texts = [action.text] + ([action.unmeasured] if action.unmeasured is not None else [])
    return " ".join(t.en for t in texts), " ".join(t.zh for t in texts)


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_says_what_was_asked(name: str) -> None:
    group, _, id_ = name.partition(".")
    action = (CATALOG.checks if group == "check" else CATALOG.fixes)[id_]
    assert missing(*said(action), ADVICE[name]) == []


@pytest.mark.parametrize("code", WHY)
def test_the_rule_says_what_was_asked(code: str) -> None:
    rule = CATALOG.rule(code)
    assert rule is not None
    assert missing(rule.why.en, rule.why.zh, WHY[code]) == []
