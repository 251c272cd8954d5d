"""The files of test/vectors of the repository, which hosts of every language read."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "test" / "vectors"
#: One of so many handler cases is run: a sample for tests that must be quick.
STRIDE = int(os.environ.get("HANDLER_CASES_STRIDE", "1"))


def has(name: str) -> bool:
    """A source distribution has the tests and not the repository's vectors."""
    return (FOLDER / f"{name}.json.gz").exists()


@cache
def read(name: str) -> Any:
    with gzip.open(FOLDER / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)
