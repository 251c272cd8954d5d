"""Rules for names of plans, modules and stores."""

from __future__ import annotations

import re

from .limits import PLAN_NAME_BYTES_MAX, STORE_NAME_BYTES_MAX

_CONTROL = re.compile("[\u0000-\u001f\u007f-\u009f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STORE_NAME = re.compile(r"[a-z0-9_./-]+\Z")


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


def store_name_problem(name: str) -> str | None:
    """The same for the name of a store, which comes from outside and may become a part of a path somewhere."""
    if not _STORE_NAME.match(name):
        return "a store's name consists of a to z, 0 to 9, _ . / and -"
    if len(name) > STORE_NAME_BYTES_MAX:
        return f"a store's name has at most {STORE_NAME_BYTES_MAX} bytes, got {len(name)}"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return 'no part of a store\'s name between slashes is empty, "." or ".."'
    return None
