"""The words of frameworks: complete, well formed, and those of the one that wrote the log."""

from __future__ import annotations

import ast
import json

import numpy as np
import pytest
import synth

from spikedoc.model.knowledge import SETTINGS
from spikedoc.model.metric import Metric
from spikedoc.model.report import Gap
from spikedoc.model.run import ConfigValue, Run, Source
from spikedoc.rules import frameworks
from spikedoc.rules.frameworks import (
    BEGIN,
    CONFIG_GAPS,
    EVERY_STEP,
    ON_TORCH,
    SETTINGS_ENTRY,
    WRITE,
    Words,
    recognise,
    snippet,
)
from spikedoc.text import FieldValue, Text

WORDS: dict[str, Words] = dict(frameworks._all())
VALUES: dict[str, FieldValue] = {
    "clip": 0.83, "lr": 0.0009, "warmup": 100, "beta2": 0.95, "eps": 1e-6, "bf16": 1,
    "loss_scale": 512.0, "accumulation": 4, "seed": 0, "stop_at_nan": 1, "anomaly": 1,
    "resume": "out/checkpoint-800", "resume_step": 800, "shuffle": 1,
}  # fmt: skip
PYTHON = sorted({"hf", "lightning", "keras", "torch", "ultralytics"})


def run(path: str = "r", reader: str = "csv", **config: ConfigValue) -> Run:
    return Run("r", path, (), config=config, sources=(Source(path, reader, 1),))


def gap(signal: str) -> Gap:
    return Gap(signal, Text("?", "？"))


def test_the_values_of_this_test_cover_every_setting() -> None:
    assert VALUES.keys() == SETTINGS


class TestRecognise:
    @pytest.mark.parametrize(
        ("made", "id_"),
        [
            (run(framework="hf"), "hf"),
            (run(framework="megatron"), "megatron"),
            (run(framework="deepspeed"), "deepspeed"),
            (run(framework="keras"), "keras"),
            (run(framework="ultralytics"), "ultralytics"),
            (run(close_mosaic=10), "ultralytics"),
            (run("a/lightning_logs/version_0/metrics.csv"), "lightning"),
            (run(gradient_clip_algorithm="norm"), "lightning"),
            (run(framework="wandb", transformers_version="5.1.0"), "hf"),
            (run(lr_warmup_fraction=0.01), "megatron"),
        ],
    )
    def test_by_framework_settings_or_folder(self, made: Run, id_: str) -> None:
        words, framework = recognise(made)
        assert (words.id, framework.id, framework.recognised) == (id_, id_, True)
        assert framework.name == words.name

    def test_by_the_names_of_its_series(self) -> None:
        box, dfl = (
            synth.series(np.ones(5), Metric.LOSS_COMPONENT, tag=f"train/{name}_loss", name=name)
            for name in ("box", "dfl")
        )
        assert recognise(synth.run(box, dfl))[1].id == "ultralytics"
        assert recognise(synth.run(box))[1].recognised is False

    @pytest.mark.parametrize(
        "made", [run(), run(framework="wandb"), run(lr=0.1, clip=1.0), run("lightning_logs.csv")]
    )
    def test_plain_pytorch_stands_in_and_says_so(self, made: Run) -> None:
        words, framework = recognise(made)
        assert (words.id, framework.recognised) == ("torch", False)


class TestLines:
    @pytest.mark.parametrize("id_", WORDS)
    def test_no_blank_is_left(self, id_: str) -> None:
        for setting, value in VALUES.items():
            for line in WORDS[id_].lines({setting: value}):
                assert "{value}" not in line
                assert "{words}" not in line
                assert "{optimizer}" not in line

    @pytest.mark.parametrize("id_", PYTHON)
    @pytest.mark.parametrize("setting", sorted(SETTINGS))
    def test_lines_of_python_frameworks_are_python(self, id_: str, setting: str) -> None:
        for line in WORDS[id_].lines({setting: VALUES[setting]}):
            ast.parse(line + "\n    pass" if line.endswith(":") else line)

    def test_lines_of_deepspeed_are_members_of_a_json_object(self) -> None:
        lines = WORDS["deepspeed"].lines(VALUES)
        merged = [json.loads("{" + line + "}") for line in lines]
        assert {"gradient_clipping": 0.83} in merged
        assert {"optimizer": {"params": {"betas": [0.9, 0.95]}}} in merged

    @pytest.mark.parametrize(
        ("id_", "settings", "lines"),
        [
            ("hf", {"clip": 0.83}, ("TrainingArguments(max_grad_norm=0.83)",)),
            ("megatron", {"clip": 0.83, "beta2": 0.95}, ("--clip-grad 0.83 --adam-beta2 0.95",)),
            ("lightning", {"clip": 0.83, "accumulation": 4},
             ("Trainer(gradient_clip_val=0.83, accumulate_grad_batches=4)",)),
            ("deepspeed", {"clip": 0.83}, ('"gradient_clipping": 0.83',)),
            ("ultralytics", {"lr": 0.01, "seed": 3},
             ("model.train(lr0=0.01, seed=3, deterministic=True)",)),
            ("keras", {"clip": 0.83, "beta2": 0.95},
             ("keras.optimizers.AdamW(global_clipnorm=0.83, beta_2=0.95)",)),
            ("torch", {"clip": 0.83},
             ("torch.nn.utils.clip_grad_norm_(model.parameters(), 0.83)",)),
            ("hf", {"lr": 9e-05, "warmup": 100},
             ("TrainingArguments(learning_rate=9e-05, warmup_steps=100)",)),
        ],
    )  # fmt: skip
    def test_settings_of_one_place_share_a_line(
        self, id_: str, settings: dict[str, FieldValue], lines: tuple[str, ...]
    ) -> None:
        assert WORDS[id_].lines(settings) == lines

    def test_the_optimizer_of_the_config_is_used(self) -> None:
        assert WORDS["keras"].lines({"clip": 1}, "sgd") == (
            "keras.optimizers.SGD(global_clipnorm=1)",
        )
        assert WORDS["torch"].lines({"beta2": 0.95}, "adam") == (
            "torch.optim.Adam(model.parameters(), betas=(0.9, 0.95))",
        )

    def test_an_optimizer_without_moments_gets_no_betas(self) -> None:
        assert WORDS["torch"].lines({"beta2": 0.95, "eps": 1e-6}, "sgd") == ()

    def test_text_is_quoted(self) -> None:
        (line,) = WORDS["hf"].lines({"resume": "it's \" here"})
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        assert ast.literal_eval(call.keywords[0].value) == "it's \" here"


class TestLogging:
    @pytest.mark.parametrize("id_", WORDS)
    def test_every_entry_is_a_signal(self, id_: str) -> None:
        signals = {metric.value for metric in Metric} | {BEGIN, WRITE, EVERY_STEP, SETTINGS_ENTRY}
        assert set(WORDS[id_].log) <= signals

    @pytest.mark.parametrize("id_", sorted({*ON_TORCH, "torch"}))
    def test_what_a_framework_does_not_log_itself_is_logged_in_pytorch(self, id_: str) -> None:
        for metric in (Metric.GRAD_NORM, Metric.UPDATE_NORM, Metric.LOSS_SCALE, Metric.LR):
            assert WORDS[id_].logging(metric.value)

    def test_keras_has_no_words_of_pytorch(self) -> None:
        assert WORDS["keras"].logging(Metric.UPDATE_NORM.value) == ()

    @pytest.mark.parametrize("id_", WORDS)
    def test_settings_are_kept_beside_the_log(self, id_: str) -> None:
        for name in CONFIG_GAPS - {metric.value for metric in Metric}:
            assert WORDS[id_].logging(name) == WORDS[id_].log["settings"]

    def test_what_nobody_knows_has_no_line(self) -> None:
        assert WORDS["torch"].logging("my_own_signal") == ()


class TestSnippet:
    @pytest.mark.parametrize("id_", PYTHON)
    def test_it_is_python(self, id_: str) -> None:
        gaps = [gap(metric.value) for metric in Metric]
        for first in range(0, len(gaps), 5):
            lines = snippet(WORDS[id_], gaps[first : first + 5], sparse=True)
            ast.parse("\n".join(lines))

    def test_rows_are_begun_filled_and_written(self) -> None:
        lines = snippet(
            WORDS["torch"], [gap("optimizer"), gap("lr"), gap("grad_norm")], sparse=False
        )
        assert lines[0].startswith("json.dump(config")
        assert [line.split(" = ")[0] for line in lines[1:-1]] == [
            "row", 'row["lr"]', 'row["grad_norm"]',
        ]  # fmt: skip
        assert lines[-1].startswith("print(json.dumps(row)")

    def test_without_gaps_there_is_nothing_to_log(self) -> None:
        assert snippet(WORDS["torch"], [], sparse=False) == ()
        assert snippet(WORDS["torch"], [gap("my_own_signal")], sparse=False) == ()

    def test_a_sparse_log_is_told_to_log_every_step(self) -> None:
        assert snippet(WORDS["megatron"], [], sparse=True) == ("--log-interval 1",)

    def test_each_line_stands_once(self) -> None:
        lines = snippet(WORDS["megatron"], [gap("lr"), gap("loss_scale")], sparse=True)
        assert lines == ("--log-interval 1",)
