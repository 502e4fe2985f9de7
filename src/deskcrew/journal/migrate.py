"""Brings a journal's tables up to date. A new database is made from the schema; an old one goes through alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, inspect, text

from deskcrew.errors import JournalError
from deskcrew.journal import schema

HEAD = "0004"
"""The newest revision in ``journal/migrations/versions``; a test checks that it is."""


def bring_up_to_date(engine: Engine, path: Path) -> None:
    """Create or migrate the tables. Raises JournalError for a journal written by a newer Deskcrew."""
    version = _version(engine) or _created(engine)
    if version > HEAD:
        raise JournalError(
            f"The journal {path} was written by a newer Deskcrew (schema {version}).", hint="Upgrade, or use another --data."
        )
    if version < HEAD:
        upgrade(engine)


def _version(engine: Engine) -> str | None:
    """The schema of the tables; None where there are none."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _created(engine: Engine) -> str:
    """Make the tables, unless another process has just done so."""
    with engine.begin() as connection:
        # SQLite would lock only at the first INSERT: two processes would both find no tables and both make them.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        schema.metadata.create_all(connection)
        connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text("INSERT OR IGNORE INTO alembic_version VALUES (:head)"), {"head": HEAD})
    return HEAD


def upgrade(engine: Engine) -> None:
    """Run the migrations that are missing."""
    # Imported here: alembic takes a tenth of a second to import and is needed once per upgrade.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
