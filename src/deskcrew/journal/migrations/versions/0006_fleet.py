"""Submissions to a fleet, for a database that several machines share."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
    )
    op.create_table(
        "submitted",
        sa.Column("run", sa.String(32), primary_key=True),
        sa.Column("submission", sa.String(32), sa.ForeignKey("submissions.id"), nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("why", sa.Text, nullable=False, server_default=""),
        sa.Column("node", sa.String(80), nullable=False, server_default=""),
        sa.Column("begun", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("tokens", sa.BigInteger, nullable=False, server_default=sa.text("0")),
        sa.Column("cost", sa.Float, nullable=True, server_default=sa.text("0")),
        sa.Column("untold", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("question", sa.Text, nullable=True),
        sa.Column("answer", sa.Text, nullable=True),
    )
    op.create_index("submitted_by_state", "submitted", ["state", "run"])
    op.create_index("submitted_of_submission", "submitted", ["submission", "state"])
    op.create_table(
        "fleet_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("submission", sa.String(32), sa.ForeignKey("submissions.id"), nullable=False),
        sa.Column("run", sa.String(32), nullable=False),
        sa.Column("time", sa.Float, nullable=False),
        sa.Column("node", sa.String(80), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_index("log_of_submission", "fleet_log", ["submission", "id"])
    op.create_table(
        "fleet_heads",
        sa.Column("address", sa.String(200), primary_key=True),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("nodes", sa.Text, nullable=False),
    )
    op.create_table(
        "rates",
        sa.Column("model", sa.String(200), primary_key=True),
        sa.Column("due", sa.Float, nullable=False),
    )
