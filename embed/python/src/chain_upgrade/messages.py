"""The messages between host and handler (docs/abi.md), protobuf."""

from __future__ import annotations

from typing import NamedTuple

from .errors import UpgradeError
from .failures import trap
from .limits import (
    CHECK_MESSAGE_BYTES_MAX,
    CHECK_NAME_BYTES_MAX,
    CHECKS_MAX,
    MODULE_NAME_BYTES_MAX,
    VERSION_MAP_MODULES_MAX,
)
from .names import name_problem
from .plan import Timestamp
from .text import encode_text, guest_text
from .versions import VersionMap, decode_versions, encode_versions
from .wire import BYTES, VARINT, bytes_field, int_field, message_field, single_fields, wire_fields


class CheckResult(NamedTuple):
    """An invariant that `handler_check` looked at."""

    name: str
    ok: bool
    message: str = ""


def encode_context(chain_id: str, height: int, time: Timestamp, plan: bytes, versions: VersionMap) -> bytes:
    """UpgradeContext: what `handler_run` and `handler_check` are given. Its messages are written when empty, too."""
    timestamp = int_field(1, time.seconds) + int_field(2, time.nanos)
    head = bytes_field(1, encode_text(chain_id)) + int_field(2, height)
    return head + message_field(3, timestamp) + message_field(4, plan) + message_field(5, encode_versions(versions))


def _refuse_versions(what: str) -> UpgradeError:
    return UpgradeError("UPG_MIGRATION_VERSION_MAP", f"handler_run returned no version map: {what}")


def _check_entry(name: str, taken: int) -> None:
    problem = name_problem(name, MODULE_NAME_BYTES_MAX)
    if problem:
        raise _refuse_versions(f"a module's name {problem}")
    if taken == VERSION_MAP_MODULES_MAX:
        raise _refuse_versions(f"more than {VERSION_MAP_MODULES_MAX} modules")


def decode_returned_versions(data: bytes) -> dict[str, int]:
    """What `handler_run` returned. Raises UPG_MIGRATION_VERSION_MAP when it is no version map."""
    return decode_versions(data, _refuse_versions, _check_entry)


def _refuse_checks(what: str) -> UpgradeError:
    return trap(f"handler_check returned no check results: {what}")


def decode_checks(data: bytes) -> list[CheckResult]:
    """What `handler_check` returned; names are unique. Raises UPG_HANDLER_TRAP when it is not that."""
    checks: dict[str, CheckResult] = {}
    for entry in wire_fields(data, [BYTES], _refuse_checks):
        name_field, ok, message = single_fields(entry.data, [BYTES, VARINT, BYTES], _refuse_checks)
        try:
            name = (name_field.data if name_field else b"").decode("utf-8")
        except UnicodeDecodeError as cause:
            raise _refuse_checks("a name is not UTF-8") from cause
        problem = name_problem(name, CHECK_NAME_BYTES_MAX)
        if problem:
            raise _refuse_checks(f"a check's name {problem}")
        if name in checks:
            raise _refuse_checks(f'two checks are named "{name}"')
        if len(checks) == CHECKS_MAX:
            raise _refuse_checks(f"more than {CHECKS_MAX} checks")
        text = guest_text(message.data if message else b"", CHECK_MESSAGE_BYTES_MAX)
        checks[name] = CheckResult(name, ok is not None and ok.value != 0, text)
    return list(checks.values())
