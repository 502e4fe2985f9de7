"""The tables of the journal. Changed only together with a migration in ``journal/migrations``."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text

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
)
"""One row a run: what ``deskcrew runs`` lists without folding anything. ``head``: id of the branch's last event."""

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
    Index("events_of_run", "run", "number", unique=True),
)

blobs = Table(
    "blobs",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Content-addressed: screenshots, observations, prompts, raw replies. In the database, so that an event and what it names
become durable in one commit."""
