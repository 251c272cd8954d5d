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

#: Every so many cases one: 1 in a campaign, which runs all.
STRIDE = int(os.environ.get("CHAIN_UPGRADE_VECTORS_STRIDE", "1"))


def has(name: str) -> bool:
    """A source distribution has the tests and not the repository's vectors."""
    return (FOLDER / f"{name}.json.gz").exists()


@cache
def read(name: str) -> Any:
    with gzip.open(FOLDER / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def sample(cases: list[Any]) -> list[Any]:
    return cases[::STRIDE]
