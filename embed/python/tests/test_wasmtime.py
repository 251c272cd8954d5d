"""The wasmtime package: its private names, and engines in a forked child."""

from __future__ import annotations

import os
import signal
import time
import types
import unittest
from collections.abc import Callable

import wasmtime

from chain_upgrade import Core, Handler, MemoryStore, Plan, UpgradeError
from chain_upgrade.wasmtime_private import missing_names, require_names

from .guests import SET_A, A, given, handler_file, load, running

_CHILD_SECONDS = 60
WRITE = handler_file(running(SET_A, A))


def in_child(work: Callable[[], None]) -> str:
    """Runs ``work`` in a forked child: "done", "failed", or "hung" when it takes a minute."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + _CHILD_SECONDS
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return "failed" if status else "done"
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


class PrivateNames(unittest.TestCase):
    def test_missing_names(self) -> None:
        """wasmtime without a private name → ImportError with the name and the command that installs a tested version"""
        for owner, name in (("_ffi", "wasmtime_func_call"), ("Func", "_func"), ("Trap", "_from_ptr")):
            package = types.SimpleNamespace(**vars(wasmtime))
            kept = {
                key: value
                for key, value in vars(getattr(wasmtime, owner)).items()
                if key not in (name, "__annotations__")
            }
            setattr(package, owner, types.SimpleNamespace(**kept))
            self.assertEqual(missing_names(package), [f"wasmtime.{owner}.{name}"])
        self.assertEqual(missing_names(types.SimpleNamespace()), ["wasmtime._ffi"])
        with self.assertRaisesRegex(ImportError, r"wasmtime 50\..* has no wasmtime\._ffi\. Install .*wasmtime~=50\.0"):
            require_names(["wasmtime._ffi"])


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class Forks(unittest.TestCase):
    def test_load_after_fork(self) -> None:
        """fork() after a load → the child loads and runs handlers, good and bad, and makes a Core"""
        handler = Handler.load(WRITE)
        handler.run(given())

        def work() -> None:
            run = Handler.load(WRITE).run(given())
            assert run.report.stores["bank"].written == 1
            run.write()
            handler.run(given()).write()
            core, store = Core(), MemoryStore()
            core.schedule(store, 1, Plan("v2", 10))
            assert core.plan_bytes(store)
            try:
                Handler.load(WRITE[:-1])
            except UpgradeError:
                return
            raise AssertionError("a file that is cut short was loaded")

        self.assertEqual(in_child(work), "done")

    def test_fork_of_fork(self) -> None:
        """a child that loaded a handler forks → the grandchild loads one too"""
        load()

        def work() -> None:
            load()
            assert in_child(lambda: (load(), None)[1]) == "done"

        self.assertEqual(in_child(work), "done")


if __name__ == "__main__":
    unittest.main()
