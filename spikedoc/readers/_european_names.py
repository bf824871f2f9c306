"""Names of quantities in German, French, Spanish, Italian and others, in English words."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Without accents, in lower case. Only words that name nothing else in a log: `pas` (step, but also
# not) is left alone; `precisión` is `precision`, whichever of its two meanings it has.
_WORDS: Final = {
    # German
    "trainingsverlust": "train loss", "validierungsverlust": "val loss", "testverlust": "test loss",
    "gesamtverlust": "total loss", "verlust": "loss", "epoche": "epoch", "schritt": "step",
    "trainingsgenauigkeit": "train accuracy", "validierungsgenauigkeit": "val accuracy",
    "testgenauigkeit": "test accuracy", "validierung": "val", "lernrate": "lr",
    "genauigkeit": "accuracy", "gradientennorm": "grad norm", "fehlerrate": "error rate",
    # French
    "perte": "loss", "epoque": "epoch", "etape": "step", "taux d'apprentissage": "lr",
    "entrainement": "train", "exactitude": "accuracy", "norme du gradient": "grad norm",
    "taux apprentissage": "lr", "precision": "precision", "erreur": "error", "rappel": "recall",
    # Spanish
    "perdida": "loss", "epoca": "epoch", "paso": "step", "tasa de aprendizaje": "lr",
    "entrenamiento": "train", "validacion": "val", "exactitud": "accuracy",
    "iteracion": "iteration", "tasa aprendizaje": "lr",
    # Italian and Portuguese
    "perdita": "loss", "perda": "loss", "addestramento": "train", "validazione": "val",
    "treinamento": "train", "validacao": "val", "taxa de aprendizado": "lr", "acuracia": "accuracy",
    "iteracao": "iteration", "iterazione": "iteration", "taxa aprendizado": "lr",
    "taxa de aprendizagem": "lr", "precisao": "precision", "accuratezza": "accuracy",
    "precisione": "precision", "tasso di apprendimento": "lr", "tasso apprendimento": "lr",
    # Dutch, Polish and Turkish
    "verlies": "loss", "nauwkeurigheid": "accuracy", "leersnelheid": "lr", "validatie": "val",
    "dokładnosc": "accuracy", "dokladnosc": "accuracy", "kayıp": "loss", "kayip": "loss",
    "dogruluk": "accuracy", "dogrulama": "val", "egitim": "train", "ogrenme oranı": "lr",
    "ogrenme orani": "lr",
}  # fmt: skip
_BEGINNINGS: Final = tuple(sorted({word.split()[0][:5] for word in _WORDS}))
_NAMES: Final = "|".join(sorted(_WORDS, key=len, reverse=True)).replace(" ", "[ _]")
_WORD: Final = re.compile(rf"(?<![a-z])(?:{_NAMES})(?![a-z])")
# A kind behind its noun, as these languages have it: `loss de validation` is the `val loss`.
_BEHIND: Final = re.compile(
    r"(?<![a-z])(loss|accuracy|precision|error)([ _.\-/]{1,3})(?:(?:de|di|du|en)[ _]|d')?"
    r"(train|val|test)(?:idation)?(?![a-z])",
    re.IGNORECASE,
)


def in_english(text: str) -> str:
    """Return a name or a line with the known words in it in English ones; any other as it is."""
    plain = _plain(text)
    if not any(map(plain.__contains__, _BEGINNINGS)):
        return text
    text = unicodedata.normalize("NFC", text)
    found = list(_WORD.finditer(plain)) if len(plain) == len(text) else []
    if not found:
        return text
    pieces, end = [], 0
    for word in found:
        pieces += [text[end : word.start()], _WORDS[word.group().replace("_", " ")]]
        end = word.end()
    return _BEHIND.sub(r"\3\2\1", "".join([*pieces, text[end:]]))


def _plain(text: str) -> str:
    """Lower case without accents, one character for each of the text when it is composed."""
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFC", text)
    return "".join(unicodedata.normalize("NFD", sign)[0] for sign in composed).lower()
