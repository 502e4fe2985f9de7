"""Alembic's entry point: runs the migrations on the connection that ``journal/migrate.py`` hands over."""

from alembic import context

from deskcrew.journal.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
