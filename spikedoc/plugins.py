"""The one place that finds plug-ins: the modules of a folder, each with its constant."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

# Modules that belong to a plug-in folder without being plug-ins.
NOT_PLUGINS = frozenset({"base"})


def discover(package: ModuleType, constant: str) -> dict[str, Any]:
    """Return module name → its `constant`, in name order, for each plug-in module of `package`.

    Modules named `base` or starting with an underscore are support code, a sub-folder is a shelf of
    its own. Raises TypeError naming the module when a plug-in lacks the constant.
    """
    found: dict[str, Any] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.ispkg or info.name.startswith("_") or info.name in NOT_PLUGINS:
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if not hasattr(module, constant):
            raise TypeError(f"{module.__name__} must export {constant}")
        found[info.name] = getattr(module, constant)
    return found
