"""Reports made by hand: a failing run, a healthy one, one that cannot be judged, a hostile one."""
# ruff: noqa: E501 - a report is easier to check as a table of long lines

from __future__ import annotations

import math

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Action, Cost, Domain, Rule, Weight
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import (
    Advice,
    Cause,
    ChecklistItem,
    Finding,
    Framework,
    Gap,
    GuardReplay,
    Plot,
    Report,
    Rollback,
    RunFacts,
    Signal,
)
from spikedoc.model.run import Checkpoint, Source
from spikedoc.text import Text

VERSION = "0.0.test"
NAN_STEP = 12_400
LAST_STEP = 12_800


def _yes(probe: str, en: str, zh: str, **values: float | str) -> Evidence:
    return Evidence(probe, Verdict.SUPPORTS, Text(en, zh).fill(values), values)


def _no(probe: str, en: str, zh: str, **values: float | str) -> Evidence:
    return Evidence(probe, Verdict.REFUTES, Text(en, zh).fill(values), values)


def _open(probe: str, en: str, zh: str, *missing: Metric, config: tuple[str, ...] = ()) -> Evidence:
    return Evidence(probe, Verdict.UNKNOWN, Text(en, zh), {}, missing, config)


FIRST_BAD = _yes(
    "grad_norm_nonfinite_first",
    "`grad_norm` became inf at step {step}, before the loss became NaN.",
    "`grad_norm` 在第 {step} 步变为 inf，早于损失变为 NaN。",
    step=12_390,
)
SCALE_PEAK = _yes(
    "loss_scale_at_peak",
    "The loss scale stood at its maximum, {scale}, when the loss became NaN.",
    "损失变为 NaN 时，损失缩放系数正处于最大值 {scale}。",
    scale=65536.0,
)
RAMP = _yes(
    "grad_norm_ramps_before",
    "The gradient norm rose {factor} times over the {steps} steps before.",
    "此前 {steps} 步内梯度范数上升到 {factor} 倍。",
    factor=7.04,
    steps=200,
)
LR_STEADY = _no(
    "lr_jumped",
    "The learning rate did not change within 500 steps of it.",
    "其前后 500 步内学习率没有变化。",
)
EPOCH_FREE = _no(
    "at_epoch_boundary",
    "Its place is not an epoch boundary (epoch length 1000 steps).",
    "发生位置不在 epoch 边界上（每个 epoch 1000 步）。",
)
UPDATE_OPEN = _open(
    "update_norm_spikes",
    "Did the size of the parameter update jump as well?",
    "参数更新量是否也同时跳升？",
    Metric.UPDATE_NORM,
)
RANK_OPEN = _open(
    "one_rank_deviates",
    "Did one rank see it before the others?",
    "是否有某个 rank 先于其他 rank 出现异常？",
    Metric.LAYER_GRAD_NORM,
    config=("world_size",),
)
CLOSE_OPEN = _open(
    "spike_is_repeatable", "Does it come back at the same step?", "重跑时是否在同一步重现？"
)

SAVE_SCENE = Advice(
    "save-scene",
    Text(
        "Keep the weights, the optimizer state, the scaler state and the batch of step {step}.",
        "保存第 {step} 步的权重、优化器状态、scaler 状态和当时的 batch。",
    ).fill({"step": NAN_STEP}),
    {"step": NAN_STEP},
    Cost.MINUTES,
)
RERUN_FIXED = Advice(
    "rerun-fixed-seed",
    Text(
        "Run again from the checkpoint of step 12000 with the same seed: the same step again means "
        "data or model, another step means hardware or communication.",
        "固定随机种子，从第 12000 步的检查点重跑：若在同一步重现，问题在数据或模型；若不重现，"
        "则应怀疑硬件或通信。",
    ),
    {},
    Cost.RERUN,
)
FP32_CONTROL = Advice(
    "fp32-control",
    Text(
        "Run 500 steps from the same checkpoint in FP32. If the loss stays finite, the half "
        "precision is to blame.",
        "从同一检查点以 FP32 运行 500 步；若损失保持有限，则问题出在半精度。",
    ),
    {},
    Cost.RERUN,
)
LOOK_AT_BATCH = Advice(
    "look-at-batch",
    Text(
        "Look at the ten samples of that batch with the largest loss: labels, decoding, mask.",
        "查看该 batch 中损失最大的十个样本：标签、解码、掩码。",
    ),
    {},
    Cost.MINUTES,
)
CAP_SCALE = Advice(
    "cap-loss-scale",
    Text(
        "Cap the loss scale at {cap}, and grow it no more than once in {interval} steps.",
        "将损失缩放上限设为 {cap}，并且每 {interval} 步最多增长一次。",
    ).fill({"cap": 16384, "interval": 2000}),
    {"cap": 16384, "interval": 2000},
)
CLIP = Advice(
    "clip-at-p99",
    Text(
        "Clip the gradient norm at {clip}, the 99th percentile of the healthy part "
        "(`clip_grad_norm_`, after `scaler.unscale_`).",
        "把梯度范数裁剪到 {clip}，即健康阶段的 99 分位数"
        "（在 `scaler.unscale_` 之后调用 `clip_grad_norm_`）。",
    ).fill({"clip": 1.37}),
    {"clip": 1.37},
    None,
    ("Trainer(gradient_clip_val=1.37)",),
)


def rule(
    code: str, slug: str, cause: str, domain: Domain, title: Text, why: Text | None = None
) -> Rule:
    return Rule(
        code=code,
        slug=slug,
        cause=cause,
        domain=domain,
        priors={"nonfinite/persistent": 6, "divergence": 2},
        title=title,
        why=why or Text("", ""),
        benign_when=Text(
            "The scaler skipped the step and the loss went on as before.",
            "scaler 跳过了该步，且损失随后照常下降。",
        ),
        weights=(Weight("loss_scale_at_peak", 3, 1), Weight("lr_jumped", 0, 2)),
        checks=(
            Action(
                "fp32-control",
                Text("Run {steps} steps in FP32.", "以 FP32 运行 {steps} 步。"),
                unmeasured=Text("Run some steps in FP32.", "以 FP32 运行若干步。"),
                cost=Cost.RERUN,
                figures=("steps",),
            ),
        ),
        fixes=(Action("cap-loss-scale", Text("Cap the loss scale.", "限制损失缩放的上限。")),),
        sources=("Micikevicius et al. 2018, Mixed Precision Training",),
        aliases=("SD4",),
        example="fp16-overflow",
    )


OVERFLOW = rule(
    "SD401",
    "fp16-overflow",
    "fp16-overflow",
    Domain.NUMERICS,
    Text("A value left the range of FP16", "数值超出 FP16 的表示范围"),
    Text(
        "FP16 ends at 65504. An attention score or an activation beyond it becomes inf, and the "
        "next subtraction or division makes NaN of it.",
        "FP16 的上限是 65504。注意力分数或激活值一旦超过它就变成 inf，随后的减法或除法再把它变成 NaN。",
    ),
)


def failing_causes() -> tuple[Cause, ...]:
    exploding = rule(
        "SD205",
        "gradient-explosion",
        "gradient-explosion",
        Domain.OPTIMIZER,
        Text("The gradients exploded", "梯度爆炸"),
        Text(
            "Each backward pass multiplies by the weights; once their product passes 1 the gradient "
            "grows from step to step.",
            "反向传播会不断乘以权重；一旦乘积超过 1，梯度就会逐步增大。",
        ),
    )
    sample = rule(
        "SD101",
        "bad-sample",
        "bad-input",
        Domain.DATA,
        Text("A broken sample in the batch", "batch 中有损坏的样本"),
        Text(
            "One undecodable or mislabelled sample gives a gradient unlike all others.",
            "一个解码失败或标注错误的样本会产生与众不同的梯度。",
        ),
    )
    others = (
        rule(
            "SD301",
            "lr-too-high",
            "lr-too-high",
            Domain.SCHEDULE,
            Text("The learning rate is too high", "学习率过高"),
        ),
        rule(
            "SD404",
            "illegal-operation",
            "illegal-operation",
            Domain.NUMERICS,
            Text("Logarithm or division of zero", "对零取对数或除以零"),
        ),
        rule(
            "SD903",
            "bf16-jitter",
            "benign-bf16-grid",
            Domain.BENIGN,
            Text("Rounding of BF16", "BF16 的舍入抖动"),
        ),
    )
    return (
        Cause(1, OVERFLOW, 0.82, ("F1", "F2"), (FIRST_BAD, SCALE_PEAK, RAMP, LR_STEADY, UPDATE_OPEN), (FP32_CONTROL,), (CAP_SCALE, CLIP)),
        Cause(2, exploding, 0.61, ("F1", "F2"), (RAMP, UPDATE_OPEN, RANK_OPEN), (SAVE_SCENE,), (CLIP,)),
        Cause(3, sample, 0.34, ("F1", "F3"), (EPOCH_FREE, CLOSE_OPEN), (LOOK_AT_BATCH,), ()),
        Cause(4, others[0], 0.12, ("F1",), (LR_STEADY,), (), ()),
        Cause(5, others[1], 0.09, ("F1",), (UPDATE_OPEN,), (), ()),
        Cause(6, others[2], 0.02, ("F3",), (), (), ()),
    )  # fmt: skip


def failing_plot() -> Plot:
    """A loss that decays, has one spike at 7000, and is NaN from 12400 on."""
    steps = [float(step) for step in range(0, LAST_STEP + 1, 40)]
    values = []
    for index, step in enumerate(steps):
        noise = 1.0 + 0.12 * math.sin(index * 2.399) * math.cos(index * 0.731)
        value = (4.2 * math.exp(-step / 1500.0) + 0.06) * noise
        if step == 7000.0:
            value = 2.9
        if step > 12_200.0:
            value *= 1.0 + (step - 12_200.0) / 20.0
        values.append(math.nan if step >= NAN_STEP else value)
    return Plot("loss", tuple(steps), tuple(values), log=True)


def failing() -> Report:
    """Three findings, six causes, evidence of all verdicts, a checkpoint to go back to."""
    nonfinite = Anomaly(
        kind=Kind.NONFINITE,
        form=Form.PERSISTENT,
        severity=Severity.CRITICAL,
        confidence=1.0,
        signal="loss",
        start_step=NAN_STEP,
        peak_step=NAN_STEP,
        end_step=LAST_STEP,
        measures={"points": 41.0, "last_finite": 0.6, "peak": math.nan},
        detections=(
            Detection("nonfinite", Shape.NONFINITE, "loss", NAN_STEP, NAN_STEP, LAST_STEP, {"points": 41.0}),
        ),
    )  # fmt: skip
    ramp = Anomaly(
        Kind.GRADIENT_RAMP, Severity.WARNING, 0.9, "grad_norm", 12_190, 12_390, 12_390, None,
        {"factor": 7.04, "peak": math.inf},
    )  # fmt: skip
    spike = Anomaly(
        Kind.ISOLATED_SPIKE, Severity.INFO, 0.95, "loss", 7000, 7000, 7000, None,
        {"height": 2.84, "z": 61.0},
    )  # fmt: skip
    return Report(
        spikedoc_version=VERSION,
        run=RunFacts(
            name="gpt-small-fp16",
            path="/home/alice/runs/gpt-small-fp16",
            sources=(
                Source("/home/alice/runs/gpt-small-fp16/events.out.tfevents.1.node3", "tensorboard", 4_301_000, (DAMAGED,)),
                Source("/home/alice/runs/gpt-small-fp16/hparams.yaml", "yaml", 812),
            ),
            signals={
                "loss": Signal("train/loss", 1281, 0, LAST_STEP, 10.0, 41),
                "grad_norm": Signal("train/grad_norm", 1281, 0, LAST_STEP, 10.0, 42),
                "lr": Signal("train/lr", 1281, 0, LAST_STEP, 10.0, 0),
                "loss_scale": Signal("amp/scale", 1281, 0, LAST_STEP, 10.0, 0),
                "val_loss": Signal("eval/loss", 13, 0, 12_000, 1000.0, 0),
            },
            segments=((0, 8000), (8010, LAST_STEP)),
            config={"lr": 3e-4, "fp16": True, "optimizer": "adamw", "warmup_steps": 500},
            checkpoints=(
                Checkpoint(11_000, "checkpoints/step_11000.pt"),
                Checkpoint(12_000, "checkpoints/step_12000.pt"),
                Checkpoint(None, "checkpoints/last.pt"),
            ),
        ),
        status=Status.CRITICAL,
        headline=Text(
            "The loss became NaN at step 12400 and never came back.",
            "损失在第 12400 步变为 NaN，此后再未恢复。",
        ),
        findings=(
            Finding(
                "F1",
                nonfinite,
                Text(
                    "`loss` is NaN from step 12400 to the end of the log (41 points); the last finite value was 0.6.",
                    "`loss` 从第 12400 步起直到日志结束一直是 NaN（41 个点）；最后一个有限值为 0.6。",
                ),
                Text("NaN that stays", "不再恢复的 NaN"),
            ),
            Finding(
                "F2",
                ramp,
                Text(
                    "`grad_norm` climbed from 0.3 to 2.1 in 200 steps, then became inf.",
                    "`grad_norm` 在 200 步内从 0.3 攀升到 2.1，随后变为 inf。",
                ),
                Text("Gradient ramp", "梯度爬升"),
            ),
            Finding(
                "F3",
                spike,
                Text(
                    "`loss` jumped to 2.9 at step 7000 and was back at the next logged point.",
                    "`loss` 在第 7000 步跳到 2.9，下一个记录点即恢复。",
                ),
                Text("Isolated spike", "孤立尖峰"),
            ),
        ),
        causes=failing_causes(),
        checklist=(
            ChecklistItem(Text("Keep the scene", "保留现场"), SAVE_SCENE, ()),
            ChecklistItem(Text("Reproduce it", "复现问题"), RERUN_FIXED, ("SD401", "SD101")),
            ChecklistItem(Text("Data", "数据"), LOOK_AT_BATCH, ("SD101",)),
            ChecklistItem(Text("Numerics", "数值"), FP32_CONTROL, ("SD401", "SD404")),
        ),
        rollback=Rollback(
            12_000,
            "checkpoints/step_12000.pt",
            Text(
                "The newest checkpoint before the gradient norm began to climb at step 12190.",
                "这是梯度范数从第 12190 步开始攀升之前最新的检查点。",
            ),
            800,
            5_520.0,
            12_190,
            "grad_norm",
            NAN_STEP,
            400,
            2_760.0,
        ),
        gaps=(
            Gap(
                "update_norm",
                Text("Whether clipping held the step small when the gradient grew.", "梯度变大时，裁剪是否控制住了更新量。"),
                'row["update_norm"] = update_norm',
            ),
            Gap("world_size", Text("Whether one rank could have spoilt the others.", "是否可能由某个 rank 污染了其他 rank。")),
        ),
        limits=(
            Text("The loss was logged every 10 steps: anything shorter is not visible.", "损失每 10 步记录一次：更短的变化无法看到。"),
        ),
        notes=(
            Text("step 8010 was written twice; the later value was kept", "第 8010 步写了两次，保留后写的值"),
        ),
        plot=failing_plot(),
        guards=(
            GuardReplay(
                "best-ratio", Text("The usual guard (3 times the best)", "常见的监控（最低值的 3 倍）"), "F1",
                ("loss",), NAN_STEP, 2, 0, 400,
                Text("would have fired at step 12400; false alarms before: 2.", "会在第 12400 步报警；此前误报 2 次。"),
            ),
            GuardReplay(
                "running-band", Text("A guard on median and spread", "按中位数和离散度监控"), "F1",
                ("loss", "grad_norm"), None, 0, None, None,
                Text("would not have fired; false alarms before: 0.", "不会报警；此前误报 0 次。"),
            ),
        ),
        framework=Framework("lightning", "Lightning", recognised=True),
        snippet=("Trainer(log_every_n_steps=1)", 'row["update_norm"] = update_norm', "self.log_dict(row)"),
    )  # fmt: skip


def healthy() -> Report:
    """A clean run with one harmless shape."""
    steps = tuple(float(step) for step in range(0, 2001, 10))
    values = tuple(2.3 * math.exp(-s / 400.0) + 0.2 + 0.01 * math.sin(s * 1.7) for s in steps)
    restart = Anomaly(
        Kind.LR_DISCONTINUITY, Severity.INFO, 0.9, "lr", 1000, 1000, 1000, Form.RESTART, {"ratio": 10.0}
    )  # fmt: skip
    warm = rule(
        "SD905",
        "planned-restart",
        "benign-restart",
        Domain.BENIGN,
        Text("A planned warm restart of the schedule", "学习率按计划热重启"),
    )
    return Report(
        spikedoc_version=VERSION,
        run=RunFacts(
            name="resnet18-cifar",
            path="runs/resnet18-cifar/metrics.csv",
            sources=(Source("runs/resnet18-cifar/metrics.csv", "csv", 48_120),),
            signals={
                "loss": Signal("loss", 201, 0, 2000, 10.0, 0),
                "val_loss": Signal("val_loss", 20, 100, 2000, 100.0, 0),
                "lr": Signal("lr", 201, 0, 2000, 10.0, 0),
            },
            segments=((0, 2000),),
        ),
        status=Status.HEALTHY,
        headline=Text(
            "Nothing wrong found: the loss fell from 2.5 to 0.2 and validation followed.",
            "未发现问题：损失从 2.5 降到 0.2，验证损失同步下降。",
        ),
        findings=(
            Finding(
                "F1",
                restart,
                Text("`lr` rose tenfold at step 1000, as a warm restart does.", "`lr` 在第 1000 步升到 10 倍，符合热重启的特征。"),
            ),
        ),
        causes=(Cause(1, warm, 0.9, ("F1",), (), (), ()),),
        gaps=(Gap("grad_norm", Text("Whether the gradients stayed in a steady range.", "梯度是否保持在稳定范围内。")),),
        limits=(Text("Without a metric on held-out data nothing is said about quality.", "没有验证集指标，无法判断模型质量。"),),
        plot=Plot("loss", steps, values, log=False),
    )  # fmt: skip


def unknown() -> Report:
    """A run of three points: nothing can be said."""
    return Report(
        spikedoc_version=VERSION,
        run=RunFacts(
            name="short",
            path="short.jsonl",
            sources=(Source("short.jsonl", "jsonl", 130),),
            signals={"loss": Signal("loss", 3, 1, 3, 1.0, 0)},
            segments=((1, 3),),
        ),
        status=Status.UNKNOWN,
        headline=Text(
            "Too little to judge: 3 points of loss, at least 20 are needed.",
            "数据太少，无法判断：损失只有 3 个点，至少需要 20 个。",
        ),
        gaps=(Gap("lr", Text("Whether the schedule is as intended.", "学习率调度是否符合预期。")),),
    )


DAMAGED = Text("2 damaged records skipped", "跳过 2 条损坏的记录")
HOSTILE = "\x1b[31mred\x1b[0m [bold]x[/bold] <img src=x onerror=alert(1)> | `tick` @octocat #12 \u202eevil\x07\n# h"


def hostile() -> Report:
    """The failing report with every log-derived name made as nasty as names get."""
    base = failing()
    text = Text(f"Saw {HOSTILE} at `{HOSTILE}`", f"在 {HOSTILE} 看到 {HOSTILE}")
    finding = base.findings[0]
    anomaly = Anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 1.0, HOSTILE, 1, 2, 3, Form.FINITE, {})
    cause = base.causes[0]
    evidence = (Evidence("p", Verdict.SUPPORTS, text, {"tag": HOSTILE}),)
    return Report(
        spikedoc_version=VERSION,
        run=RunFacts(
            name=HOSTILE,
            path=f"/home/alice/{HOSTILE}",
            sources=(Source(f"/home/alice/x/{HOSTILE}", HOSTILE, 5, (Text(HOSTILE, HOSTILE),)),),
            signals={HOSTILE: Signal(HOSTILE, 10, 0, 9, 1.0, 0)},
            config={HOSTILE: HOSTILE},
            checkpoints=(Checkpoint(1, HOSTILE),),
        ),
        status=Status.CRITICAL,
        headline=text,
        findings=(Finding(finding.id, anomaly, text),),
        causes=(
            Cause(1, cause.rule, 0.5, ("F1",), evidence, (), (Advice("f", text, {"x": HOSTILE}),)),
        ),
        checklist=(ChecklistItem(text, Advice("c", text), ("SD1",)),),
        rollback=Rollback(1, HOSTILE, text, 5, None),
        gaps=(Gap(HOSTILE, text),),
        limits=(text,),
        notes=(
            Text(HOSTILE, HOSTILE),
            Text(
                "could not read /home/alice/secret/args.yaml",
                "无法读取 /home/alice/secret/args.yaml",
            ),
        ),
        plot=Plot(HOSTILE, (0.0, 1.0, 2.0), (1.0, math.inf, 2.0), log=True),
    )


ALL = {"failing": failing, "healthy": healthy, "unknown": unknown}
