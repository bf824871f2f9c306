"""Printed lines that tell of a run that goes on from a saved state."""

from __future__ import annotations

import re
from typing import Final

# "Resuming from checkpoint out/step_3000.pt", "resumed training from …"; transformers.Trainer
# prints "Continuing training from global step 2000", Lightning "Restored all states from the
# checkpoint at …", PyTorch's ImageNet example "=> loaded checkpoint 'model.pth' (epoch 5)",
# TensorFlow's guide to checkpoints "Restored from ./tf_ckpts/ckpt-10". A setting
# (resume_from_checkpoint=None) is no such line.
_GOES_ON: Final = re.compile(
    r"\b(?:(?:resum(?:ed|ing)|resume training|continu(?:e|ed|ing) training"
    r"|restor(?:ed|ing) (?:all )?states)\b.{0,40}\b(?:from|at)\b"
    r"|restored (?:(?:the|latest|model|training|checkpoint|variables|weights) ){0,3}from\b"
    r"|load(?:ed|ing) (?:(?:the|latest|last|model|training|saved|from) ){0,3}"
    r"(?:checkpoint|ckpt)\b)",
    re.IGNORECASE,
)
# A call told by its name; in a traceback or a warning it is code, with what is loaded in it.
_CALL: Final = re.compile(r"\bload_state_dict\b(?!.{0,80}\bload\()", re.IGNORECASE)
# Other weights, or the same for another purpose: the training does not go back to them. Keras'
# EarlyStopping restores the best ones at its end, Estimators read a checkpoint to evaluate it.
_OTHER_WEIGHTS: Final = re.compile(
    r"pre-?trained|\bbest\b|evaluat|\bvalidat|\btest(?:ing)?\b|inference|backbone|teacher"
    r"|\bshards\b|opponent|\berror\b|warning|\bfailed\b|\bno checkpoint\b|\bFile \"",
    re.IGNORECASE,
)


def says_resumed(line: str) -> bool:
    """Return whether a printed line says that a run goes on from a saved state."""
    if _GOES_ON.search(line) is None and _CALL.search(line) is None:
        return False
    return _OTHER_WEIGHTS.search(line) is None
