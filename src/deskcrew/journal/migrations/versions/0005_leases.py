"""Which process executes a run, for a database that several machines share."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("runs", sa.Column("fence", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.add_column("runs", sa.Column("held_by", sa.String(32), nullable=True))
    op.add_column("runs", sa.Column("held_until", sa.Float, nullable=True))
