"""No rule, prompt or example of the product repeats a sentence of a benchmark, which would measure what is fitted to it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "deskcrew"
LONG = 7
"""Words in a row that two texts have in common only where one was made from the other."""
OWN = SOURCE / "ways_in" / "demo"
"""The demo's chore is the product's own, and no figure of a suite."""


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + LONG]) for at in range(len(found) - LONG + 1)}


def tasks() -> Iterator[tuple[str, str]]:
    """The wordings that figures are made of."""
    for path in sorted((ROOT / "bench" / "desk").glob("*/task.toml")):
        yield path.parent.name, str(tomllib.loads(path.read_text())["instruction"])
    for path in sorted((ROOT / "bench" / "proof" / "chores").glob("*/task.txt")):
        yield path.parent.name, path.read_text()


def texts() -> Iterator[tuple[str, str]]:
    """All that the product may say to a model or read a task by: strings of its code but docstrings, tables, prompts."""
    for path in sorted(SOURCE.rglob("*")):
        name = str(path.relative_to(SOURCE))
        if path.is_relative_to(OWN) or "static" in path.parts:
            continue
        if path.suffix in {".md", ".toml"}:
            yield name, path.read_text()
        elif path.suffix == ".py":
            tree = list(ast.walk(ast.parse(path.read_text())))
            docs = {node.value for node in tree if isinstance(node, ast.Expr)}
            for node in tree:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs:
                    yield f"{name}:{node.lineno}", node.value


@pytest.fixture(scope="module")
def said() -> dict[tuple[str, ...], str]:
    return {run: place for place, text in texts() for run in runs(text)}


SUITES = dict(tasks())


def test_there_is_something_to_compare(said: dict[tuple[str, ...], str]) -> None:
    assert len(SUITES) > 50
    assert len(said) > 3_000


@pytest.mark.parametrize("task", SUITES)
def test_nothing_in_the_product_repeats_a_task_of_a_suite(task: str, said: dict[tuple[str, ...], str]) -> None:
    echoes = {" ".join(run): said[run] for run in runs(SUITES[task]) if run in said}
    assert not echoes
