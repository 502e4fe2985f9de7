"""A journal made new and one brought up to date from the first version have the same tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

from deskcrew.journal import migrate, schema
from deskcrew.journal.database import Database
from deskcrew.journal.store import Store, opened
from support.places import Place

FOLDER = Path(migrate.__file__).parent / "migrations"


@pytest.fixture
def migrated(place: Place) -> Database:
    """A database made by the migrations alone, from nothing."""
    database = opened(place.path, place.address, durable=True)
    migrate.upgrade(database)
    return database


def tables(engine: Engine) -> dict[str, object]:
    """What makes up a table, in terms of the database and not of the statement that made it."""
    found = inspect(engine)
    return {
        table: (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in found.get_columns(table)},
            found.get_pk_constraint(table)["constrained_columns"],
            sorted((index["name"], index["column_names"], index["unique"]) for index in found.get_indexes(table)),
            [(key["constrained_columns"], key["referred_table"]) for key in found.get_foreign_keys(table)],
        )
        for table in found.get_table_names()
        if table != "alembic_version"
    }


def test_head_is_the_newest_migration_and_there_is_one_line_of_them() -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [migrate.HEAD]
    newest = max(FOLDER.joinpath("versions").glob("[0-9]*.py"))
    assert newest.name.split("_")[0] == migrate.HEAD


def test_migrating_from_nothing_gives_the_tables_of_today(
    migrated: Database, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    address = request.getfixturevalue("postgres").journal() if migrated.shared else ""
    store = Place(tmp_path / "fresh.db", address).store()
    fresh = store.database.engine
    assert tables(migrated.engine) == tables(fresh)
    of_fleet = {"submissions", "submitted", "fleet_log", "fleet_heads", "rates"}
    assert set(tables(fresh)) == {"runs", "events", "blobs", "branches"} | of_fleet
    with migrated.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    store.close()


def test_a_new_journal_says_its_version_and_opens_again_without_migrating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path / "j.db").close()
    monkeypatch.setattr(migrate, "upgrade", lambda *_: pytest.fail("a journal of today was migrated"))
    Store(tmp_path / "j.db").close()
    with create_engine(f"sqlite:///{tmp_path / 'j.db'}").connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == migrate.HEAD


def test_an_old_journal_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "j.db")
    called: list[Database] = []
    monkeypatch.setattr(migrate, "upgrade", lambda database, _: called.append(database))
    migrate.bring_up_to_date(store.database, migrate.JOURNAL._replace(head="9998"))
    assert called == [store.database]


def test_a_migrated_journal_opens(migrated: Database, place: Place) -> None:
    assert place.store().runs() == []
