"""Module versions and names in their stored form (docs/abi.md): names strictly ascending by their bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .errors import UpgradeError
from .limits import UINT64_MAX
from .text import encode_text
from .wire import BYTES, VARINT, Refuse, bytes_field, int_field, message_field, single_fields, wire_fields

#: Consensus version of each module, by name.
VersionMap = Mapping[str, int]


def _refuse(what: str) -> UpgradeError:
    return UpgradeError("UPG_INVALID_VERSION_MAP", f"version map: {what}")


def encode_versions(versions: VersionMap) -> bytes:
    """protobuf VersionMap.

    >>> encode_versions({"bank": 2, "auth": 0}).hex()
    '0a060a04617574680a080a0462616e6b1002'
    """
    out = []
    if not all(isinstance(name, str) for name in versions):
        raise _refuse("a module's name must be a str")
    for name, version in sorted((encode_text(name), version) for name, version in versions.items()):
        if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version <= UINT64_MAX:
            raise _refuse("a version must be a whole number from 0 to 2^64 - 1")
        out.append(message_field(1, bytes_field(1, name) + int_field(2, version)))
    return b"".join(out)


def encode_names(names: Iterable[str]) -> bytes:
    """protobuf Names, each once."""
    return b"".join(message_field(1, name) for name in sorted({encode_text(name) for name in names}))


def decode_versions(
    data: bytes,
    refuse: Refuse = _refuse,
    check_entry: Callable[[str, int], None] | None = None,
) -> dict[str, int]:
    """What `encode_versions` and the core write; anything else is refused.

    ``check_entry`` looks at each module before it is taken, with the number of those before it.
    """
    versions: dict[str, int] = {}
    last = b""
    for entry in wire_fields(data, [BYTES], refuse):
        name_field, version = single_fields(entry.data, [BYTES, VARINT], refuse)
        name = name_field.data if name_field else b""
        try:
            text = name.decode("utf-8")
        except UnicodeDecodeError as cause:
            raise refuse("a name is not UTF-8") from cause
        if check_entry:
            check_entry(text, len(versions))
        if versions and last >= name:
            raise refuse(f'"{text}" is not in ascending order of names')
        versions[text] = version.value if version else 0
        last = name
    return versions


def same_versions_problem(expected: VersionMap, got: VersionMap) -> str | None:
    """What is in one map and not in the other, for messages; None when they are equal."""
    differing = [name for name in sorted({*expected, *got}) if expected.get(name) != got.get(name)]
    if not differing:
        return None
    return "; ".join(f"{name} expected {expected.get(name, 'none')}, got {got.get(name, 'none')}" for name in differing)
