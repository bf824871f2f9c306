from __future__ import annotations

import pytest

from spikedoc.language import detect_language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh-Hans"}, "zh"),
        ({"LANG": "ZH_tw"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zhuang"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"LC_MESSAGES": "en_GB", "LANG": "zh_CN"}, "en"),
        ({"LANGUAGE": "zh_CN:en", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANGUAGE": "ja:zh_CN:en", "LANG": "en_US"}, "zh"),
        ({"LANGUAGE": "ja", "LANG": "zh_CN"}, "zh"),
        ({"SPIKEDOC_LANG": "en", "LANGUAGE": "zh", "LC_ALL": "zh_CN"}, "en"),
        ({"SPIKEDOC_LANG": "zh", "LC_ALL": "C"}, "zh"),
        ({"SPIKEDOC_LANG": "klingon", "LANG": "zh_CN"}, "zh"),
    ],
)
def test_detect_language(environment: dict[str, str], language: str) -> None:
    assert detect_language(environment) == language
