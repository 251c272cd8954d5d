"""The upgrade module's core, typed (docs/abi.md). Every rule is core.wasm's own; this side moves bytes."""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable, Iterable
from importlib import resources
from typing import NamedTuple

from .core_instance import CoreInstance, Live
from .errors import UpgradeError, require
from .limits import RECEIPT_BYTES_MAX
from .overlay import Overlay
from .plan import Plan, PlanFields, decode_plan_fields, encode_plan_fields, int64, plan_of_fields
from .stores import KVStore, StorePort
from .text import encode_text
from .versions import VersionMap, decode_versions, encode_names, encode_versions
from .wire import bytes_field, message_field

UPGRADE_STORE = "upgrade"


class Decision(enum.IntEnum):
    """What the core decides at the start of a block."""

    IDLE = 0
    PENDING = 1
    SKIP = 2
    APPLY = 3
    HALT_UPGRADE_NEEDED = 4
    HALT_BINARY_TOO_EARLY = 5
    HALT_HANDLER_MISSING = 6

    @property
    def is_halt(self) -> bool:
        """The process has to stop: write the `halt_text`, for HALT_UPGRADE_NEEDED the `upgrade_info` too."""
        return self >= Decision.HALT_UPGRADE_NEEDED


class DoneUpgrade(NamedTuple):
    """The upgrade that was applied at the greatest height."""

    name: str
    height: int


def bundled_core() -> bytes:
    """The bytes of the core.wasm that this package carries."""
    return resources.files(__package__).joinpath("core.wasm").read_bytes()


class Core:
    """core.wasm, which decides about plans and keeps the records of store ``upgrade``.

    Each call is given the store that it reads or writes; the core remembers nothing between calls. A call that raises
    has handed nothing to the store, but for one case: a store that fails while the writes are handed over (UPG_STORE_*)
    keeps what it took until then. Give a branch of the block's store, and drop it when a call raises. Heights are whole
    numbers of 64 bits, durations nanoseconds. Threads may share a Core: their calls wait for each other.

    >>> from chain_upgrade import Core, MemoryStore, Plan
    >>> core, store = Core(), MemoryStore()
    >>> core.schedule(store, 1, Plan("v2", 100))
    >>> core.plan(store).height
    100
    """

    def __init__(self, wasm: bytes | None = None) -> None:
        """``wasm``: another build of the core; the one that the package carries without."""
        self._instance = CoreInstance(bundled_core() if wasm is None else bytes(wasm))

    def close(self) -> None:
        """Gives the instance's memory back."""
        self._instance.close()

    def __enter__(self) -> Core:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Transitions

    def schedule(self, store: KVStore, height: int, plan: Plan) -> None:
        """Raises UPG_INVALID_PLAN_*. ``height`` is that of the block under way."""
        self.schedule_bytes(store, height, self._plan_message(plan))

    def schedule_bytes(self, store: KVStore, height: int, plan: bytes) -> None:
        """The same for a plan's protobuf bytes."""
        height = int64("height", height)
        self._write(store, lambda core: core.call("plan_schedule", height, *core.put(plan)))

    def clear(self, store: KVStore) -> None:
        """Takes the scheduled plan away, if there is one."""
        self._write(store, lambda core: core.call("plan_clear"))

    def pre_block(
        self,
        store: KVStore,
        height: int,
        *,
        has_handler: bool = False,
        has_last_handler: bool = False,
        is_skip_height: bool = False,
        is_first_block: bool = False,
    ) -> Decision:
        """The decision for the block of this height; it reads only.

        The flags are what the host knows and the core cannot: there is a handler for the plan; one for the last
        applied upgrade; the operator skips this height; this process has not committed a block yet.
        """
        flags = has_handler * 1 | has_last_handler * 2 | is_skip_height * 4 | is_first_block * 8
        height = int64("height", height)
        number = self._instance.run(_branch(store), lambda core: core.call("pre_block", height, flags))
        require(number in Decision._value2member_map_, f"core.wasm returned the unknown decision {number}")
        return Decision(number)

    def apply(
        self, store: KVStore, height: int, plan: bytes, versions: VersionMap, removes: Iterable[str] = ()
    ) -> None:
        """Sets the versions, protocol version + 1, clears the plan, records Done.

        ``plan`` is the bytes that the decision was made on (`plan_bytes`), ``versions`` the whole new map, ``removes``
        the modules that leave it. Raises UPG_BUG_PLAN_CHANGED, UPG_MIGRATION_VERSION_MAP, UPG_INVALID_VERSION_MAP.
        """
        height = int64("height", height)
        version_bytes, name_bytes = encode_versions(versions), encode_names(removes)

        def operation(core: Live) -> int:
            inputs = [*core.put(plan), *core.put(version_bytes), *core.put(name_bytes)]
            return core.call("apply", height, *inputs)

        self._write(store, operation)

    def set_version_map(self, store: KVStore, versions: VersionMap) -> None:
        """Genesis: the map replaces what is stored."""
        data = encode_versions(versions)
        self._write(store, lambda core: core.call("version_map_set", *core.put(data)))

    def set_receipt(self, store: KVStore, name: str, receipt: bytes) -> None:
        """Raises UPG_INVALID_VALUE when it has no byte or more than 512 KiB."""
        # Beyond this the core might have no room to look at it.
        if len(receipt) > RECEIPT_BYTES_MAX:
            raise UpgradeError("UPG_INVALID_VALUE", "a receipt has 1 byte to 512 KiB")
        key = encode_text(name)
        self._write(store, lambda core: core.call("receipt_set", *core.put(key), *core.put(receipt)))

    # Reads

    def plan_bytes(self, store: KVStore) -> bytes | None:
        """The scheduled plan's protobuf bytes."""
        return self._instance.run(_branch(store), lambda core: core.fetch("plan_get"))

    def plan(self, store: KVStore) -> Plan | None:
        """The scheduled plan."""
        data = self.plan_bytes(store)
        return None if data is None else self.decode_plan(data)

    def done_height(self, store: KVStore, name: str) -> int:
        """Height at which the upgrade was applied; 0: never."""
        key = encode_text(name)
        return self._instance.run(_branch(store), lambda core: core.call("done_height", *core.put(key)))

    def last_done(self, store: KVStore) -> DoneUpgrade | None:
        """The upgrade that was applied last."""
        data = self._instance.run(_branch(store), lambda core: core.fetch("last_done"))
        return None if data is None else DoneUpgrade(data[8:].decode("utf-8"), struct.unpack_from("<q", data)[0])

    def module_version(self, store: KVStore, module: str) -> int | None:
        """The stored version of one module."""
        key = encode_text(module)
        data = self._instance.run(_branch(store), lambda core: core.fetch("version_get", *core.put(key)))
        return None if data is None else int(struct.unpack("<Q", data)[0])

    def version_map(self, store: KVStore) -> dict[str, int]:
        """Every module's version, by name, ascending."""
        data = self._instance.run(_branch(store), lambda core: core.fetch("version_map_get"))
        return decode_versions(data or b"")

    def protocol_version(self, store: KVStore) -> int:
        """Upgrades that were applied; 0 before the first."""
        data = self._instance.run(_branch(store), lambda core: core.fetch("protocol_version"))
        return 0 if data is None else int(struct.unpack("<Q", data)[0])

    def receipt(self, store: KVStore, name: str) -> bytes | None:
        """The receipt of an upgrade by a Wasm handler; `decode_receipt` reads it."""
        key = encode_text(name)
        return self._instance.run(_branch(store), lambda core: core.fetch("receipt_get", *core.put(key)))

    # Pure

    def plan_key(self) -> bytes:
        """The key of the plan, for proofs; the next four are of the other records."""
        return self._pure("key_plan")

    def done_key(self, name: str) -> bytes:
        return self._pure("key_done", encode_text(name))

    def version_key(self, module: str) -> bytes:
        return self._pure("key_version", encode_text(module))

    def protocol_key(self) -> bytes:
        return self._pure("key_protocol")

    def receipt_key(self, name: str) -> bytes:
        return self._pure("key_receipt", encode_text(name))

    def validate_plan(self, plan: bytes) -> None:
        """The rules that need no state. Raises UPG_INVALID_PLAN_*."""
        self._instance.run(None, lambda core: core.call("plan_validate", *core.put(plan)))

    def encode_plan(self, plan: Plan) -> bytes:
        """protobuf Plan. Raises UPG_INVALID_PLAN_*."""
        fields = encode_plan_fields(plan)
        return self._pure("plan_encode", fields)

    def decode_plan(self, data: bytes) -> Plan:
        """A client state that is set comes back empty: the core knows only that it is present.

        Raises UPG_INVALID_PLAN_BYTES, also when name or info is not UTF-8.
        """
        return plan_of_fields(self.decode_plan_fields(data))

    def decode_plan_fields(self, data: bytes) -> PlanFields:
        """The fields as they are in the bytes, texts undecoded."""
        return decode_plan_fields(self._pure("plan_decode", data))

    def halt_text(self, decision: Decision, height: int, app_version: int, subject: bytes | str) -> str:
        """The message that operators search for. ``subject``: the plan's bytes, or the name of the last upgrade."""
        height = int64("height", height)
        version = (app_version + (1 << 63)) % (1 << 64) - (1 << 63)
        data = subject if isinstance(subject, bytes) else encode_text(subject)

        def operation(core: Live) -> bytes | None:
            return core.fetch("halt_text", int(decision), height, version, *core.put(data))

        return _present(self._instance.run(None, operation)).decode("utf-8")

    def upgrade_info(self, height: int, plan: bytes) -> bytes:
        """The bytes of upgrade-info.json; ``height`` is the block's."""
        height = int64("height", height)
        return _present(self._instance.run(None, lambda core: core.fetch("upgrade_info", height, *core.put(plan))))

    def cancellable_height(self, start: int, voting: int, deposit: int, safety: int, block: int) -> int:
        """start + ceil((2 * (voting + deposit) + safety) / block); durations in nanoseconds."""
        durations = [int64("a duration", each, "UPG_INVALID_ARGUMENT") for each in (voting, deposit, safety, block)]
        args = [int64("start", start), *durations]
        return self._instance.run(None, lambda core: core.call("cancellable_height", *args))

    def _plan_message(self, plan: Plan) -> bytes:
        """The plan's bytes, a client state included: `plan_encode` refuses one, and other rules come first."""
        state = getattr(plan, "upgraded_client_state", None)
        if state is None:
            return self.encode_plan(plan)
        data = self.encode_plan(Plan(plan.name, plan.height, plan.info, plan.time))
        content = bytes_field(1, encode_text(state.type_url)) + bytes_field(2, state.value)
        return data + message_field(5, content)

    def _pure(self, name: str, subject: bytes | None = None) -> bytes:
        def operation(core: Live) -> bytes | None:
            return core.fetch(name) if subject is None else core.fetch(name, *core.put(subject))

        return _present(self._instance.run(None, operation))

    def _write(self, store: KVStore, operation: Callable[[Live], int]) -> None:
        """On a branch: what fails while the core runs leaves nothing. A store that fails in the last line keeps a part."""
        branch = _branch(store)
        self._instance.run(branch, operation)
        branch.write()


def _branch(store: KVStore) -> Overlay:
    return Overlay(StorePort(UPGRADE_STORE, store))


def _present(data: bytes | None) -> bytes:
    if data is None:
        raise UpgradeError(
            "UPG_BUG_ASSERT", "a pure call of core.wasm returned ABSENT (this is a bug, please report it)"
        )
    return data
