"""Takes secrets and what tells who works where out of text: keys, passwords, mail, home folders.

Names of quantities look like nothing of it: `sk-loss`, `recall@5` and `loss/token` stay.
"""

from __future__ import annotations

import re
from typing import Final

# What CI systems print in the place of a secret.
MASK: Final = "***"

# Keys that are known by their form, as the scanners of their makers know them. A part with a digit
# that is longer than any word tells a key from a name with the same beginning.
_TOKENS: Final = (
    r"hf_[A-Za-z0-9]{20,}",  # Hugging Face
    r"sk-[\w-]{0,200}?(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}[\w-]*",  # OpenAI, Anthropic and others
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",  # AWS
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}",  # GitHub, GitLab
    r"wandb_v\d_\w{20,}",  # W&B; its older keys are forty hexadecimal digits, see below
    r"xox[abeprs]-[\w-]{10,}",  # Slack
    r"AIza[\w-]{35}|ya29\.[\w-]{20,}",  # Google
    r"npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?",  # JSON web tokens
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*",
)
_TOKEN: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_TOKENS)})")
# Also the form of a commit, which a reader can spare; not looked for in names of files.
_HEXADECIMAL: Final = re.compile(r"(?<![\w-])[0-9a-f]{40}(?![\w-])")

# Names of what is nobody's business, in settings and in messages.
_SECRET: Final = (
    r"passw(?:or)?d|passphrase|secret|credential|api[_-]?key|access[_-]?key|private[_-]?key"
)
_OWNERS: Final = (
    r"hf|hub|huggingface|auth|access|api|wandb|github|gitlab|bearer|session|refresh|bot|slack|"
    r"telegram|comet|clearml|neptune|swanlab|mlflow|openai|anthropic|aws|id|secret"
)
_PRIVATE_KEY: Final = re.compile(
    rf".*(?:{_SECRET}).*|(?:.*[_.-])?(?:{_OWNERS})[_-]?tokens?|token"
    r"|(?:.*[_.-])?(?:pwd|authorization|cookies?|webhook|dsn)(?:[_.-]url)?"
    r"|(?:.*[_.-])?(?:user|user_?name|e_?mail|host|host_?name|login)",
    re.IGNORECASE,
)
_VALUE: Final = (
    r"[\"']?(?!(?:None|null|true|false)\b|\*{3})(?:(?<=\")[^\"]+|(?<=')[^']+|[^\s\"',;&)}\]]+)"
)
_ASSIGNED: Final = re.compile(
    rf"((?:(?:{_SECRET})[\w-]{{0,20}}|(?:{_OWNERS})[_-]?token|\bpwd)[\"']?\s{{0,3}}[=:]\s{{0,3}})"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_FLAG: Final = re.compile(
    rf"(--?[\w-]{{0,20}}(?:{_SECRET}|(?:\b|[_-])token)[\w-]{{0,20}}\s{{1,3}})(?!-){_VALUE}",
    re.IGNORECASE,
)
_BARE_TOKEN: Final = re.compile(
    r"((?<![\w/.-])token[\"']?\s{0,3}[=:]\s{0,3}[\"']?)(?=[A-Za-z_.-]*\d)(?=[\d.]*[A-Za-z_-])"
    r"[\w.-]{12,}",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(
    r"(authorization[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?:\w{1,12} )?|\bbearer )(?!\*{3})[\w.~+/=-]{8,}",
    re.IGNORECASE,
)
# Addresses: who logs in, and signatures of links that open without asking.
_LOGIN: Final = re.compile(r"(?<=://)[^/\s@\"'<>]{1,200}@")
_SIGNED: Final = re.compile(
    r"([?&](?:[\w-]{0,20}(?:token|signature|credential|secret|password|key)|sig)=)[^&\s\"'#]+",
    re.IGNORECASE,
)
# `recall@5`, `mAP@0.5:0.95` and `acc@top` are quantities: a domain ends in letters, a place on
# another machine goes on with a path.
_MAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])"
)
_MACHINE: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z][\w.-]{0,80}(?=:[~/])")
_HOME: Final = re.compile(
    r"(?<![\w.~-])(?:(?:(?:/(?!home/)[\w.-]{1,40}){0,2}/home/|/Users/"
    r"|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})[^/\\\s\"':,;)\]}>]+|/root(?=[/\s\"':,;)]|$))"
)
# Without one of these, in lower case, there is nothing to look for.
_MARKS: Final = re.compile(
    "hf_|sk-|akia|asia|gh|github|glpat|wandb_v|xox|aiza|ya29|npm_|pypi-|k_live|k_test|eyj|private"
    "|pass|secret|credential|key|token|pwd|bearer|authorization|@|sig|/home/|users|/root"
)


def redacted(text: str) -> str:
    """Return `text` with `***` for secrets and mail addresses, and `~` for home folders."""
    return _HEXADECIMAL.sub(MASK, redacted_name(text))


def redacted_name(text: str) -> str:
    """Return the name of a run, tag or file without secrets; one of forty digits stays."""
    if _MARKS.search(text.lower()) is None:
        return text
    text = _LOGIN.sub(MASK + "@", text)
    for pattern in (_SIGNED, _BEARER, _ASSIGNED, _FLAG, _BARE_TOKEN):
        text = pattern.sub(rf"\g<1>{MASK}", text)
    for pattern in (_TOKEN, _MAIL, _MACHINE):
        text = pattern.sub(MASK, text)
    return without_home(text)


def without_home(text: str) -> str:
    """Return `text` with `~` for the home folder of whomever."""
    return _HOME.sub("~", text)


def is_private(key: str) -> bool:
    """Return whether a setting of this name is a secret, or tells who works where.

    Names of settings that are nested go by their last part.
    """
    return _PRIVATE_KEY.fullmatch(re.split(r"[/.]", key)[-1][:200]) is not None
