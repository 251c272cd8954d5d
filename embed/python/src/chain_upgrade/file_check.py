"""What check.wasm finds out about a file: the message `FileCheck` of docs/abi.md, and the metered module."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from .errors import UpgradeError, code_of
from .manifest import (
    Allowances,
    Manifest,
    ManifestScan,
    ManifestStore,
    ModuleVersions,
    StoreRename,
    StoreUpgrades,
)
from .text import guest_text
from .wire import Fields, varints

_FUNCTION_NAME_BYTES_MAX = 200
#: The path in the JSON of a manifest, in a message.
_PATH = re.compile(r'manifest: (\$(?:\.\w+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*): ')

Item = TypeVar("Item")


@dataclass(frozen=True)
class Finding:
    """Something wrong with a file."""

    code: str
    message: str
    #: A byte of the file; None: it is about something absent.
    offset: int | None
    #: None: it is about no function.
    function: str | None

    def error(self, more: int = 0) -> UpgradeError:
        """``more``: how many other findings there are."""
        details = {}
        where = []
        if self.function is not None:
            details["function"] = self.function
            where.append(f"in function {self.function}")
        if self.offset is not None:
            details["offset"] = str(self.offset)
            where.append(f"at byte {self.offset}")
        path = _PATH.match(self.message) if self.code == "UPG_HANDLER_MANIFEST" else None
        if path:
            details["path"] = path[1]
        place = f"{' '.join(where)}: " if where else ""
        others = f" (and {more} more: see `chaind handler check`)" if more else ""
        return UpgradeError(self.code, f"{place}{self.message}{others}", details)


@dataclass
class FileCheck:
    """With no findings the file is a handler."""

    findings: list[Finding]
    #: None when it could not be read. It may be there beside findings.
    manifest: Manifest | None
    #: By which the file was metered; empty with findings.
    gas_schedule: str
    #: Empty with findings.
    metered: bytes
    #: Why the engine refused the file.
    invalid: Exception | None = None

    @property
    def is_refused(self) -> bool:
        """Is there more wrong than the metered module that the file carries?"""
        return any(finding.code != "UPG_HANDLER_METERED" for finding in self.findings)

    def require_handler(self) -> Manifest:
        """The manifest of a handler. Raises the first finding."""
        if self.findings:
            raise self.findings[0].error(len(self.findings) - 1) from self.invalid
        assert self.manifest is not None
        return self.manifest


def decode_file_check(data: bytes, metered: bytes) -> FileCheck:
    fields = Fields(data)
    names = {each.number(1): each.text(2) for each in fields.messages(2)}
    findings = [_decode_finding(each, names) for each in fields.messages(1)]
    manifest = _decode_manifest(Fields(fields.data(3))) if fields.has(3) else None
    return FileCheck(findings, manifest, Fields(fields.data(4)).text(1), metered)


def _decode_finding(fields: Fields, names: dict[int, str]) -> Finding:
    code = code_of(fields.number(1))
    if code is None:
        raise UpgradeError("UPG_BUG_CORE_ABI", f"check.wasm returned the unknown code {fields.number(1)}")
    function = None
    if fields.has(4):
        name = names.get(fields.number(4), f"func[{fields.number(4)}]")
        function = guest_text(name.encode(), _FUNCTION_NAME_BYTES_MAX)
    return Finding(code, fields.text(2), fields.number(3) if fields.has(3) else None, function)


def _decode_manifest(fields: Fields) -> Manifest:
    allows = Fields(fields.data(11))
    return Manifest(
        abi=fields.number(1),
        name=fields.text(2),
        gas_limit=fields.number(3),
        stores=_each(fields, 4, _decode_store),
        store_upgrades=StoreUpgrades(
            added=fields.texts(5),
            renamed=_each(fields, 6, lambda rename: StoreRename(rename.text(1), rename.text(2))),
            deleted=fields.texts(7),
        ),
        versions=MappingProxyType({each.text(1): _decode_versions(each) for each in fields.messages(8)}),
        removes=fields.texts(9),
        scans=_each(fields, 10, lambda scan: ManifestScan(scan.text(1), scan.data(2) if scan.has(2) else None)),
        allows=Allowances(allows.texts(1), allows.texts(2), allows.texts(3), allows.texts(4), allows.number(5) != 0),
    )


def _each(fields: Fields, number: int, decode: Callable[[Fields], Item]) -> tuple[Item, ...]:
    return tuple(decode(each) for each in fields.messages(number))


def _decode_store(fields: Fields) -> ManifestStore:
    access = "rw" if fields.number(2) else "r"
    return ManifestStore(fields.text(1), access, fields.datas(3) or None)


def _decode_versions(fields: Fields) -> ModuleVersions:
    return ModuleVersions(tuple(varints(fields.data(2))) or None, fields.number(3))
