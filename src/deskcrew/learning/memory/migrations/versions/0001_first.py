"""The first schema that a file and a server have in common."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    names = ("kind", "role", "verdict", "scope", "place", "run", "withdrawn", "digest", "body")
    op.create_table(
        "memory_entries",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in names),
        sqlite_autoincrement=True,
    )
    op.create_index("entries_of_run", "memory_entries", ["run"])
    op.create_index("entries_of_role", "memory_entries", ["role", "withdrawn"])
    op.create_table(
        "memory_terms",
        sa.Column("term", sa.Text, primary_key=True),
        sa.Column("entries", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table("memory_waiting", sa.Column("number", sa.Integer, primary_key=True, autoincrement=False))
    op.create_table(
        "memory_vectors",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "memory_codes",
        sa.Column("role", sa.Text, primary_key=True),
        sa.Column("block", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
        sa.Column("codes", sa.LargeBinary, nullable=False),
    )
    indexed = op.create_table(
        "memory_indexed",
        sa.Column("embedder", sa.Text, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
    )
    op.bulk_insert(indexed, [{"embedder": "", "changes": 0}])
    op.create_table("memory_due", sa.Column("run", sa.Text, primary_key=True))
    op.create_table("memory_forgotten", sa.Column("id", sa.Text, primary_key=True))
    if op.get_bind().dialect.name == "sqlite":
        op.execute('CREATE VIRTUAL TABLE memory_words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2")')
        op.execute("PRAGMA user_version = 2")
    else:
        op.execute("CREATE TABLE memory_words (number INTEGER PRIMARY KEY, words TSVECTOR NOT NULL)")
        op.execute("CREATE INDEX words_of_entries ON memory_words USING gin (words) WITH (fastupdate = off)")
