"""Labels of branches, and which are hidden from lists; events whose texts were removed before they were imported."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "branches",
        sa.Column("run", sa.String(32), sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("start", sa.Integer, primary_key=True),
        sa.Column("label", sa.String(80), nullable=False),
        sa.Column("hidden", sa.Boolean, nullable=False),
    )
    op.add_column("events", sa.Column("redacted", sa.Boolean, nullable=False, server_default=sa.false()))
