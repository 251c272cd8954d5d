"""A plan, and its fields as `plan_encode` and `plan_decode` move them: a header of 32 bytes, the name, the info."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from .errors import UpgradeError
from .limits import INT64_MAX, INT64_MIN, PLAN_INFO_BYTES_MAX, PLAN_NAME_BYTES_MAX
from .text import encode_text
from .wire import bytes_field, int_field, message_field

_HEADER = struct.Struct("<qqiIII")
_FLAG_CLIENT_STATE = 1
#: A text beyond this may not even fit into the core's memory, so its refusal, the core's own, is given here.
_TEXT_BYTES_MAX = 262_144


class Timestamp(NamedTuple):
    """Seconds since 1970 (negative before), and 0 to 999,999,999 nanoseconds."""

    seconds: int
    nanos: int = 0


#: The zero time of the Cosmos SDK, year 1: a plan's time when it is not set.
ZERO_TIME = Timestamp(-62_135_596_800, 0)


class ClientState(NamedTuple):
    """google.protobuf.Any. Deprecated in plans, and refused when set."""

    type_url: str = ""
    value: bytes = b""


@dataclass(frozen=True)
class Plan:
    """One upgrade at one height.

    ``name`` has 1 to 140 bytes of UTF-8 and is used once on a chain; ``info`` at most 65,536. ``time`` and
    ``upgraded_client_state`` are deprecated: the core refuses a plan that sets them.
    """

    name: str
    height: int
    info: str = ""
    time: Timestamp | None = None
    upgraded_client_state: ClientState | None = None


@dataclass(frozen=True)
class PlanFields:
    """A plan's fields as they are in its bytes, texts undecoded."""

    name: bytes
    height: int
    info: bytes
    seconds: int
    nanos: int
    has_client_state: bool


def int64(what: str, value: int, code: str = "UPG_INVALID_HEIGHT") -> int:
    """The same number, which has to fit into 64 bits with a sign."""
    if not isinstance(value, int) or isinstance(value, bool) or not INT64_MIN <= value <= INT64_MAX:
        raise UpgradeError(code, f"{what} must be a whole number of 64 bits, got {value!r:.40}")
    return value


def encode_plan_fields(plan: Plan) -> bytes:
    """Raises UPG_INVALID_PLAN_* for what the fields have no room for."""
    _require_plan(plan)
    seconds, nanos = _checked_time(plan.time or ZERO_TIME)
    name = _text("UPG_INVALID_PLAN_NAME", "name", plan.name, PLAN_NAME_BYTES_MAX)
    info = _text("UPG_INVALID_PLAN_INFO", "info", plan.info, PLAN_INFO_BYTES_MAX)
    height = int64("height", plan.height, "UPG_INVALID_PLAN_HEIGHT")
    flags = _FLAG_CLIENT_STATE if plan.upgraded_client_state is not None else 0
    return _HEADER.pack(height, seconds, nanos, flags, len(name), len(info)) + name + info


def plan_message(plan: Plan) -> bytes:
    """protobuf Plan, as the core stores it, without a look at any rule: `Core.encode_plan` is the one that refuses."""
    _require_plan(plan)
    seconds, nanos = _checked_time(plan.time or ZERO_TIME)
    time = message_field(2, int_field(1, seconds) + int_field(2, nanos))
    head = bytes_field(1, encode_text(plan.name)) + time + int_field(3, int64("height", plan.height))
    return head + bytes_field(4, encode_text(plan.info))


def decode_plan_fields(data: bytes) -> PlanFields:
    """``data`` as the core wrote it."""
    height, seconds, nanos, flags, name_len, _ = _HEADER.unpack_from(data)
    info_at = _HEADER.size + name_len
    has_client_state = flags == _FLAG_CLIENT_STATE
    return PlanFields(data[_HEADER.size : info_at], height, data[info_at:], seconds, nanos, has_client_state)


def plan_of_fields(fields: PlanFields) -> Plan:
    """Raises UPG_INVALID_PLAN_BYTES when name or info is not UTF-8."""
    try:
        name, info = fields.name.decode("utf-8"), fields.info.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise UpgradeError("UPG_INVALID_PLAN_BYTES", "a plan's name and info must be UTF-8") from cause
    time = Timestamp(fields.seconds, fields.nanos)
    state = ClientState() if fields.has_client_state else None
    return Plan(name, fields.height, info, None if time == ZERO_TIME else time, state)


def _require_plan(plan: object) -> None:
    if not isinstance(plan, Plan):
        raise UpgradeError("UPG_INVALID_PLAN_BYTES", f"a plan is a chain_upgrade.Plan, got {type(plan).__name__}")


def _checked_time(time: Timestamp) -> Timestamp:
    """The years are the core's to check; here only that the numbers are not cut."""
    seconds, nanos = time
    whole = isinstance(seconds, int) and isinstance(nanos, int)
    if whole and INT64_MIN <= seconds <= INT64_MAX and -(1 << 31) <= nanos < 1 << 31:
        return Timestamp(seconds, nanos)
    what = f"time must be whole seconds and nanoseconds, got {seconds!r:.40} and {nanos!r:.40}"
    raise UpgradeError("UPG_INVALID_PLAN_BYTES", what)


def _text(code: str, what: str, text: str, bytes_max: int) -> bytes:
    if not isinstance(text, str):
        raise UpgradeError(code, f"{what} must be a str, got {type(text).__name__}")
    data = encode_text(text)
    if len(data) > _TEXT_BYTES_MAX:
        raise UpgradeError(code, f"{what} expected at most {bytes_max} bytes, got {len(data)}: invalid request")
    return data
