"""The first schema: runs, events, blobs."""

from alembic import op

from deskcrew.journal import schema

revision = "0001"
down_revision = None


def upgrade() -> None:
    schema.metadata.create_all(op.get_bind())
