"""What is worked out once for all tests of a worker: it depends on files of ours that no test changes, and each run and each
web application would work it out anew."""

from __future__ import annotations

import functools
import importlib
from types import CodeType
from typing import Any

import jinja2
import pytest
import typer.main
from sqlalchemy import text

from deskcrew.journal import migrate
from deskcrew.journal.database import Database
from deskcrew.ways_in.web.pages import Templates


def keep_templates(patch: pytest.MonkeyPatch) -> None:
    """The web application's templates are compiled once. All of its applications compile alike."""
    compiled: dict[tuple[str, str], CodeType] = {}
    begin, compile_ = Templates.__init__, jinja2.Environment.compile

    def made(self: Templates, *arguments: Any, **more: Any) -> None:
        def kept(environment: Any, source: Any, name: Any = None, filename: Any = None, *others: Any, **rest: Any) -> Any:
            if not isinstance(source, str) or name is None or others or rest:
                return compile_(environment, source, name, filename, *others, **rest)
            if (name, source) not in compiled:
                compiled[name, source] = compile_(environment, source, name, filename)
            return compiled[name, source]

        with pytest.MonkeyPatch.context() as within:
            within.setattr(jinja2.Environment, "compile", kept)
            begin(self, *arguments, **more)

    patch.setattr(Templates, "__init__", made)


def keep_tables(patch: pytest.MonkeyPatch) -> None:
    """What makes the tables of a journal in a file is worked out from the schema once, and run as it is for each file."""
    create, statements = migrate._created, list[str]()

    def created(database: Database, tables: migrate.Tables) -> str:
        if tables is not migrate.JOURNAL or database.shared:
            return create(database, tables)
        if not statements:
            head = create(database, tables)
            with database.reading() as connection:
                made = connection.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"))
                statements.extend(made.scalars())
            return head
        with database.writing() as connection:
            database.alone(connection)
            if (version := migrate._version(connection, tables)) is not None:
                return version
            for statement in statements:
                connection.exec_driver_sql(statement)
            connection.execute(text(f"INSERT INTO {tables.version} VALUES (:head)"), {"head": tables.head})
        return tables.head

    patch.setattr(migrate, "_created", created)


def keep_commands(patch: pytest.MonkeyPatch) -> None:
    """The command line is put together once, and not each time that a command is given; what others add to it is looked up
    each time nevertheless."""
    for name in ("get_params_from_function", "get_command"):
        patch.setattr(typer.main, name, functools.cache(getattr(typer.main, name)))
    app = importlib.import_module("deskcrew.ways_in.cli.app")  # now that it imports what was put there
    for name in ("build", "plain_flags"):
        patch.setattr(app, name, functools.cache(getattr(app, name)))
