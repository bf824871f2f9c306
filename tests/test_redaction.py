"""Secrets go, and whatever only resembles them stays; then every output of a run full of them."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.cleaning import name, one_line
from spikedoc.redaction import MASK, is_private, redacted, redacted_name, without_home

ROOT = Path(__file__).parents[1]
# Made up on the spot, so that no scanner of the repository takes them for real ones.
BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEX = "0123456789abcdef0123456789abcdef01234567"
TOKENS = {
    "hugging face": "hf_" + BODY,
    "openai": "sk-" + BODY,
    "openai project": "sk-proj-" + BODY + "_x-" + BODY,
    "anthropic": "sk-ant-api03-" + BODY + "-AA",
    "aws": "AKIA" + "ABCDEFGHIJ234567",
    "github": "ghp_" + BODY,
    "github fine": "github_pat_" + BODY,
    "gitlab": "glpat-" + BODY[:20],
    "wandb": HEX,
    "wandb new": "wandb_v1_" + BODY,
    "slack": "xoxb-" + "123456789012-" + BODY,
    "google": "AIza" + BODY[:35],
    "jwt": "eyJ" + BODY + "." + BODY + "." + BODY,
}


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("form", ["{}", "got '{}'.", "a={} b", "key:{}", '{{"x": "{}"}}', "x/{}/y"])
def test_tokens_are_masked_wherever_they_stand(kind: str, form: str) -> None:
    token = TOKENS[kind]
    if kind == "wandb" and form == "x/{}/y":
        pytest.skip("a folder called by a commit")
    text = redacted(form.format(token))
    assert BODY[:12] not in text
    assert token not in text
    assert MASK in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://me:pa55@host.org/x", "https://***@host.org/x"),
        ("s3://bucket/x?X-Amz-Signature=ab12&y=1", "s3://bucket/x?X-Amz-Signature=***&y=1"),
        ("https://x/y?access_token=ab12#z", "https://x/y?access_token=***#z"),
        ("Authorization: Bearer abcdefgh12", "Authorization: Bearer ***"),
        ("curl -H bearer abcdefgh12", "curl -H bearer ***"),
        ("password=hunter2", "password=***"),
        ("DB_PASSWORD: 'two words', lr: 1", "DB_PASSWORD: ***', lr: 1"),
        ("WANDB_API_KEY=abc, lr=0.1", "WANDB_API_KEY=***, lr=0.1"),
        ('{"aws_secret_access_key": "a/b+c", "lr": 1}', '{"aws_secret_access_key": ***", "lr": 1}'),
        ("--api-key abc --lr 0.1", "--api-key *** --lr 0.1"),
        ("--hub_token abc", "--hub_token ***"),
        ("token=abcdefgh1234xyz", "token=***"),
        ("mail ann.b+c@uni-x.edu.cn now", "mail *** now"),
        ("alice@node3:/data/run", "***:/data/run"),
        ('File "/home/alice/p/train.py"', 'File "~/p/train.py"'),
        ("in /nfs/home/alice/p", "in ~/p"),
        ("/Users/alice: no", "~: no"),
        ("C:\\Users\\alice\\p", "~\\p"),
        ("/root/p and /rooted/p", "~/p and /rooted/p"),
    ],
)
def test_settings_and_addresses(text: str, shown: str) -> None:
    assert redacted(text) == shown
    assert redacted(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "sk-loss",
        "sk-learn-validation-accuracy-of-the-second-model",
        "sk-train_loss_component_2_mean_smoothed",
        "hf_loss",
        "loss/token",
        "token: 3.2, lr 0.1",
        "tokens=4096 tokens_per_second=12",
        "recall@5",
        "mAP@0.5:0.95",
        "acc@top: 3",
        "hits@k",
        "key_loss: 0.5",
        "attention/key/norm",
        "Basic information on the run",
        "pad_token: <pad>",
        "api_key=None",
        "the password is wrong",
        "data/home/x",
        "runs/Users/x",
        "loss=3.2 at step 7",
        "ghost/loss",
        "users",
    ],
)
def test_names_and_messages_stay(text: str) -> None:
    assert redacted(text) == text


def test_forty_digits_are_a_commit_in_a_name() -> None:
    assert redacted_name(f"runs/{HEX}") == f"runs/{HEX}"
    assert redacted(f"key {HEX}") == f"key {MASK}"


@pytest.mark.parametrize(
    "key",
    [
        *("password", "db_passwd", "api_key", "apiKey", "wandb/api_key", "AWS_SECRET_ACCESS_KEY"),
        *("hf_token", "hub_token", "use_auth_token", "token", "x/token", "client_secret", "user"),
        *("username", "email", "hostname", "slack_webhook_url", "logger.host", "private_key"),
    ],
)
def test_private_settings(key: str) -> None:
    assert is_private(key)


@pytest.mark.parametrize(
    "key",
    [
        *("lr", "pad_token", "eos_token", "max_tokens", "tokens_per_step", "num_keys", "key_dim"),
        *("user_loss", "token_loss", "optimizer", "seed", "monkey", "hosts", "pass_rate"),
    ],
)
def test_settings_of_training_are_kept(key: str) -> None:
    assert not is_private(key)


def test_what_is_shown_goes_through_it() -> None:
    assert one_line("see /home/alice/x, hf_" + BODY) == "see ~/x, ***"
    assert name("sk-loss") == "sk-loss"
    assert without_home("/home/a/b") == "~/b"


@given(st.text())
def test_any_text_twice_is_the_same_as_once(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


@pytest.mark.parametrize(
    "part",
    ["sk-", "password", "a@", "eyJ", "token=", "--key ", "/home/", "://", "hf_a", "-----BEGIN "],
)
def test_a_long_line_is_done(part: str) -> None:
    """A line of a log may be long; a pattern that backtracks would not come to an end here."""
    text = redacted(part * 3_000)
    assert redacted(text) == text


SECRETS = (BODY[:12], HEX, "hunter2", "carol", "dave@", "pa55", "node-17")


@cache
def written(folder: Path) -> Path:
    """A run that fails, with secrets wherever a log can hold one."""
    run = folder / "home" / "runs" / "a"
    run.mkdir(parents=True)
    token = TOKENS["hugging face"]
    loss = 2.0 * np.exp(-np.arange(200) / 60) + 0.1
    loss[150:] = np.nan
    rows = [{"step": s, "loss": v, f"acc/{token}": 0.5, "sk-loss": 1.0} for s, v in enumerate(loss)]
    (run / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)))
    settings = {
        "lr": 0.1,
        "optimizer": "adam",
        "hub_token": token,
        "wandb": {"api_key": HEX},
        "password": "hunter2",
        "user": "carol",
        "hostname": "node-17",
        "contact": "dave@uni.edu",
        "data": "/home/carol/data",
        "note": f"key {HEX}",
        "url": "https://me:pa55@host.org/x",
    }
    (run / "hparams.yaml").write_text(yaml.safe_dump(settings))
    lines = [f"step {s} | accuracy {s / 200:.3f}" for s in range(0, 200, 10)]
    lines.insert(
        8,
        f"WARNING: overflow at step 80: token {token} password=hunter2 at "
        "/home/carol/train.py of dave@uni.edu https://me:pa55@host.org",
    )
    lines.append('RuntimeError: CUDA error: carol@node-17:/x File "/home/carol/p/train.py"')
    (run / "train.log").write_text("\n".join(lines))
    (run / f"{token}_step_100.pt").touch()
    return run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("secrets"))


COMMANDS = [
    *(
        ["analyze", "{run}", "-v", "--format", form]
        for form in ("text", "markdown", "brief", "html", "json", "jsonl")
    ),
    *(
        ["check", "{run}", "--format", form]
        for form in ("text", "json", "jsonl", "junit", "sarif", "github", "gitlab")
    ),
    *(["series", "{run}", "--format", form] for form in ("text", "json", "csv")),
    *(["convert", "{run}", "--format", form, "--shape", "long"] for form in ("csv", "jsonl")),
    *(["compare", "{run}", "{run}", "--format", form] for form in ("text", "markdown", "json")),
    *(["sweep", "{run}", "{run}", "--format", form] for form in ("text", "markdown", "json")),
    *(["scan", "{run}", "--workers", "0", "--format", form] for form in ("text", "json")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_output_holds_a_secret(
    command: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from spikedoc.cli.entry import run

    code = run([word.format(run=place) for word in command])
    said = capsys.readouterr()
    assert code in (0, 1, 2)
    assert said.out
    for secret in SECRETS:
        assert secret not in said.out, secret
        assert secret not in said.err, secret
    if command[0] in ("series", "convert"):
        assert "sk-loss" in said.out
        assert "acc/***" in said.out


def test_files_that_are_written_hold_none(place: Path, tmp_path: Path) -> None:
    store, pages = tmp_path / "store.jsonl", tmp_path / "pages"
    command = [sys.executable, "-m", "spikedoc", "scan", str(place), "--workers", "0"]
    command += ["-o", str(store), "--html", str(pages), "--reports", "all"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}  # and no home
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    files = [store, *pages.rglob("*.html")]
    assert len(files) > 2
    for text in (file.read_text(encoding="utf-8") for file in files):
        assert not [secret for secret in SECRETS if secret in text]
