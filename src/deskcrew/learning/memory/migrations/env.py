"""Alembic's entry point: runs the migrations on the connection that ``journal/migrate.py`` hands over."""

from alembic import context

from deskcrew.learning.memory.schema import TABLES

context.configure(
    connection=context.config.attributes["connection"], target_metadata=TABLES.schema, version_table=TABLES.version
)
with context.begin_transaction():
    context.run_migrations()
