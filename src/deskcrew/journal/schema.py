"""The tables of the journal. Changed only together with a migration in ``journal/migrations``."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Computed,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
)

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Float, nullable=False),
    Column("task", Text, nullable=False),
    Column("crew", String(64), nullable=False),
    Column("model", String(200), nullable=False),
    Column("head", String(64), nullable=True),
    Column("outcome", String(16), nullable=True),
    Column("imported", Boolean, nullable=False, server_default=false()),
)
"""One row a run: what ``deskcrew runs`` lists without folding anything. ``head``: id of the branch's last event;
``imported``: it came from elsewhere, so its workspace is a folder of another machine, or whatever somebody wrote there."""

events = Table(
    "events",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("run", String(32), ForeignKey("runs.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("parent", String(64), nullable=True),
    Column("header", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("redacted", Boolean, nullable=False, server_default=false()),
    Column(
        "kind",
        Text,
        Computed("CASE WHEN json_valid(header) THEN json_extract(header, '$.type', '$.lane') END", persisted=False),
    ),
    Index("events_of_run", "run", "number", unique=True),
    Index("places_of_run", "run", "number", "id", "parent", "kind"),
)
"""``redacted``: texts of the body were taken out before it came here, so only the hashes are as they were. ``kind``: type
and lane as JSON, computed from the header; none where that is no JSON. The second index is for who goes through all events
of a run."""

blobs = Table(
    "blobs",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Content-addressed: screenshots, observations, prompts, raw replies. In the database, so that an event and what it names
become durable in one commit."""

branches = Table(
    "branches",
    metadata,
    Column("run", String(32), ForeignKey("runs.id"), primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("label", String(80), nullable=False),
    Column("hidden", Boolean, nullable=False),
)
"""What a person calls a branch, and whether lists leave it out. ``start``: number of the branch's first event. Of no
consequence to the run, hence no events."""
