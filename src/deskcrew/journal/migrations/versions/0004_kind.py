"""An index with all that a list of a run's events needs, so that their bodies, most of the file, are not scanned."""

from alembic import op

from deskcrew.journal.schema import JSON_FUNCTIONS

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    server = op.get_bind().dialect.name == "postgresql"
    for function in JSON_FUNCTIONS if server else ():
        op.execute(function)
    # SQLite can be asked for a column that is worked out, but Alembic cannot ask for one of its kind ("virtual").
    told = "CASE WHEN json_valid(header) THEN json_extract(header, '$.type', '$.lane') END"
    op.execute(f"ALTER TABLE events ADD COLUMN kind TEXT GENERATED ALWAYS AS ({told}) {'STORED' if server else 'VIRTUAL'}")
    op.create_index("places_of_run", "events", ["run", "number", "id", "parent", "kind"])
