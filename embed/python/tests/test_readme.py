"""README.md: every example runs and prints what the page says; doc blocks do, too."""

from __future__ import annotations

import contextlib
import doctest
import hashlib
import importlib
import io
import os
import pkgutil
import re
import tempfile
import unittest
from pathlib import Path

import chain_upgrade

from . import vectors
from .handler_case import Cases

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def test_blocks(self) -> None:
        """each block of Python → prints the text that follows it"""
        text = README.read_text(encoding="utf-8")
        blocks = BLOCK.findall(text)
        self.assertEqual(len(blocks), text.count("```python"))
        start = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for code, due in blocks:
                    if "handler.wasm" in code and not self._has_handler():
                        continue
                    with self.subTest(code.splitlines()[0]), contextlib.redirect_stdout(io.StringIO()) as out:
                        exec(compile(code, "README.md", "exec"), {})
                    self.assertEqual(out.getvalue(), due)
            finally:
                os.chdir(start)

    def _has_handler(self) -> bool:
        """Of the vectors, which a source distribution does not have."""
        if not vectors.has("handler-cases"):
            return False
        file = Cases(vectors.read("handler-cases")).file("split-balances")
        Path("handler.wasm").write_bytes(file)
        # With the line feed that sha256sum and editors leave.
        Path("handler.sha256").write_text(f"{hashlib.sha256(file).hexdigest()}\n", encoding="ascii")
        return True

    def test_doc_blocks(self) -> None:
        """each example of a doc block → what it says"""
        tried = 0
        for module in pkgutil.iter_modules(chain_upgrade.__path__, "chain_upgrade."):
            results = doctest.testmod(importlib.import_module(module.name))
            self.assertEqual(results.failed, 0, module.name)
            tried += results.attempted
        self.assertGreater(tried, 10)

    def test_public_names(self) -> None:
        """each public name → has a doc block of its own"""
        for name in chain_upgrade.__all__:
            value = getattr(chain_upgrade, name)
            if isinstance(value, type) or callable(value):
                self.assertTrue((value.__doc__ or "").strip(), name)
                self.assertFalse((value.__doc__ or "").startswith(f"{name}("), f"{name} has that of its dataclass")


if __name__ == "__main__":
    unittest.main()
