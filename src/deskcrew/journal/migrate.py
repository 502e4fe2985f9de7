"""Brings a database's tables up to date. New tables are created from the schema; old ones are migrated by alembic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, MetaData, inspect, text

from deskcrew.errors import JournalError
from deskcrew.journal import schema
from deskcrew.journal.database import Database

HEAD = "0007"
"""The newest revision in ``journal/migrations/versions``; a test checks that it is."""


class Tables(NamedTuple):
    """Tables that share one version. ``what``: their name for people; ``head``: the newest revision in the folder
    ``migrations``; ``version``: the table that stores their revision; ``adopt``: called first if that table is missing, to
    recognize tables that are older than it."""

    what: str
    schema: MetaData
    head: str
    migrations: Path
    version: str
    adopt: Callable[[Connection], None] = lambda _: None


JOURNAL = Tables("journal", schema.metadata, HEAD, Path(__file__).parent / "migrations", "alembic_version")


def bring_up_to_date(database: Database, tables: Tables = JOURNAL) -> None:
    """Create or migrate the tables. Raises JournalError if a newer Deskcrew wrote them."""
    with database.reading() as connection:
        version = _version(connection, tables)
    version = version or _created(database, tables)
    if version > tables.head:
        raise JournalError(
            f"The {tables.what} {database.name} was written by a newer Deskcrew (schema {version}).",
            hint="Upgrade, or use another --data." if not database.shared else "Upgrade, or use another database.",
        )
    if version < tables.head:
        upgrade(database, tables)


def _version(connection: Connection, tables: Tables) -> str | None:
    """The revision of the tables; None if there are none."""
    if not inspect(connection).has_table(tables.version):
        return None
    return connection.execute(text(f"SELECT version_num FROM {tables.version}")).scalar()


def _created(database: Database, tables: Tables) -> str:
    """Create the tables, unless another process has just done so. Returns their revision."""
    with database.writing() as connection:
        database.alone(connection)
        if (version := _version(connection, tables)) is not None:
            return version
        tables.adopt(connection)
        tables.schema.create_all(connection)
        connection.execute(text(f"CREATE TABLE {tables.version} (version_num VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text(f"INSERT INTO {tables.version} VALUES (:head)"), {"head": tables.head})
    return tables.head


def upgrade(database: Database, tables: Tables = JOURNAL) -> None:
    """Run the pending migrations, unless another process has just done so."""
    # Imported here: alembic takes a tenth of a second to import and is needed once per upgrade.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(tables.migrations))
    with database.writing() as connection:
        database.alone(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
