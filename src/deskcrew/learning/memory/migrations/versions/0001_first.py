"""The first schema that a file and a server have in common: that of ``schema.py``, as long as there is no other revision."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing is changed: a memory that has no revision yet gets the tables of today, and the newest one."""
