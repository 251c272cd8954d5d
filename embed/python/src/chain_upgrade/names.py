"""Rules for names of plans and modules."""

from __future__ import annotations

import re

from .limits import PLAN_NAME_BYTES_MAX

_CONTROL = re.compile("[\u0000-\u001f\u007f-\u009f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def name_problem(name: str, bytes_max: int = PLAN_NAME_BYTES_MAX) -> str | None:
    """What is wrong with a name; None when nothing is."""
    if name == "":
        return "is empty"
    if _SURROGATE.search(name):
        return "holds half of a surrogate pair"
    length = len(name.encode("utf-8"))
    if length > bytes_max:
        return f"has {length} bytes, at most {bytes_max} are allowed"
    return "holds a control character" if _CONTROL.search(name) else None
