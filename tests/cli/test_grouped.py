"""Options in groups: what typer reads, and what the command gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
from typer import Argument, Option, Typer
from typer.testing import CliRunner

from deskcrew.ways_in.cli.grouped import given, grouped


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    count: Annotated[int, Option("--count", min=1, help="How many.")] = 1
    names: Annotated[list[str] | None, Option("--names", help="Repeatable.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    first: Annotated[bool, Option("--first", help="The first.")] = False
    inner: Inner
    of_: Annotated[str, Option("--of", help="The last.")] = ""


@pytest.fixture
def app() -> tuple[Typer, list[tuple[str, Outer, bool]]]:
    called: list[tuple[str, Outer, bool]] = []
    app = Typer(add_completion=False)

    @app.command()
    @grouped
    def take(  # pyright: ignore[reportUnusedFunction]
        *, what: Annotated[str, Argument(help="What.")], options: Outer, json: Annotated[bool, Option("--json")] = False
    ) -> None:
        """Take it."""
        called.append((what, options, json))

    return app, called


def test_a_command_gets_its_groups_with_what_was_typed_and_the_defaults(
    app: tuple[Typer, list[tuple[str, Outer, bool]]],
) -> None:
    typer, called = app
    assert CliRunner().invoke(typer, ["a", "--first", "--names", "b", "--names", "c", "--json"]).exit_code == 0
    assert CliRunner().invoke(typer, ["d", "--of", "e", "--count", "2"]).exit_code == 0
    assert called == [
        ("a", Outer(first=True, inner=Inner(names=["b", "c"])), True),
        ("d", Outer(inner=Inner(count=2), of_="e"), False),
    ]


def test_help_lists_the_options_of_groups_in_their_place_and_errors_name_them(
    app: tuple[Typer, list[tuple[str, Outer, bool]]],
) -> None:
    told = CliRunner().invoke(app[0], ["--help"]).output
    places = [told.index(name) for name in ("--first", "--count", "--names", "--of", "--json")]
    assert places == sorted(places)
    wrong = CliRunner().invoke(app[0], ["a", "--count", "0"])
    assert (wrong.exit_code, "--count" in wrong.output) == (2, True)
    assert CliRunner().invoke(app[0], []).exit_code == 2


def test_what_was_typed_is_told_by_the_names_of_the_options() -> None:
    assert [*given(Outer(first=True, inner=Inner(names=["b"]), of_="e"))] == ["--first", "--names", "--of"]
    assert [*given(Outer(inner=Inner(count=0)))] == []
