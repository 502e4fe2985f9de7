"""Brings a journal's tables up to date. A new database is made from the schema; an old one goes through alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from deskcrew.errors import JournalError
from deskcrew.journal import schema
from deskcrew.journal.database import Database

HEAD = "0006"
"""The newest revision in ``journal/migrations/versions``; a test checks that it is."""


def bring_up_to_date(database: Database) -> None:
    """Create or migrate the tables. Raises JournalError for a journal written by a newer Deskcrew."""
    with database.reading() as connection:
        version = _version(connection)
    version = version or _created(database)
    if version > HEAD:
        raise JournalError(
            f"The journal {database.name} was written by a newer Deskcrew (schema {version}).",
            hint="Upgrade, or use another --data." if not database.shared else "Upgrade, or use another database.",
        )
    if version < HEAD:
        upgrade(database)


def _version(connection: Connection) -> str | None:
    """The schema of the tables; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _created(database: Database) -> str:
    """Make the tables, unless another process has just done so; the version of those that are there."""
    with database.writing() as connection:
        database.alone(connection)
        if (version := _version(connection)) is not None:
            return version
        schema.metadata.create_all(connection)
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})
    return HEAD


def upgrade(database: Database) -> None:
    """Run the migrations that are missing, unless another process has just done so."""
    # Imported here: alembic takes a tenth of a second to import and is needed once per upgrade.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with database.writing() as connection:
        database.alone(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
