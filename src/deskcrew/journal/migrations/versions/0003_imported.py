"""Runs that were imported: they can be inspected and replayed, but not continued."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("runs", sa.Column("imported", sa.Boolean, nullable=False, server_default=sa.false()))
