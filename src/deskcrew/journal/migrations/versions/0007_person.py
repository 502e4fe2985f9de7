"""The person that a run belongs to, for a database that several people share."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("runs", sa.Column("person", sa.String(200), nullable=False, server_default=""))
    op.create_index("runs_of_person", "runs", ["person", "created"])
