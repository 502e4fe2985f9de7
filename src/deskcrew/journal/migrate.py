"""Brings a journal's tables up to date. A new database is made from the schema; an old one goes through alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, inspect, text

from deskcrew.errors import JournalError
from deskcrew.journal import schema

HEAD = "0001"
"""The newest revision in ``journal/migrations/versions``; a test checks that it is."""


def bring_up_to_date(engine: Engine, path: Path) -> None:
    """Create or migrate the tables. Raises JournalError for a journal written by a newer Deskcrew."""
    with engine.begin() as connection:
        tables = inspect(connection).get_table_names()
        if "alembic_version" in tables:
            version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        else:
            schema.metadata.create_all(connection)
            connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
            connection.execute(text("INSERT OR IGNORE INTO alembic_version VALUES (:head)"), {"head": HEAD})
            version = HEAD
    if version == HEAD:
        return
    if version is None or version > HEAD:
        raise JournalError(
            f"The journal {path} was written by a newer Deskcrew (schema {version}).", hint="Upgrade, or use another --data."
        )
    upgrade(engine)


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
