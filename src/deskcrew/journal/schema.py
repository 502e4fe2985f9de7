"""The tables of the journal. Changed only together with a migration in ``journal/migrations``."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import (
    DDL,
    BigInteger,
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
    event,
    false,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import DDLCompiler

metadata = MetaData()

JSON_FUNCTIONS = (
    """
CREATE OR REPLACE FUNCTION json_valid(document text) RETURNS boolean IMMUTABLE STRICT LANGUAGE plpgsql AS $$
BEGIN
  PERFORM document::json;
  RETURN true;
EXCEPTION WHEN data_exception THEN
  RETURN false;
END $$""",
    r"""
CREATE OR REPLACE FUNCTION json_extract(document text, VARIADIC places text[]) RETURNS text
IMMUTABLE STRICT LANGUAGE plpgsql AS $$
DECLARE
  parsed json;
  path text[];
  found json[];
BEGIN
  IF strpos(document, '\u0000') > 0 THEN
    parsed := regexp_replace(document, '(?<!\\)((?:\\\\)*)\\u0000', '\1\ufffd', 'g')::json;
  ELSE
    parsed := document::json;
  END IF;
  FOR n IN 1 .. cardinality(places) LOOP
    path := string_to_array(replace(substr(places[n], 3), '[#-1]', '.-1'), '.');
    IF cardinality(places) = 1 THEN
      RETURN parsed #>> path;
    END IF;
    found := array_append(found, parsed #> path);
  END LOOP;
  RETURN array_to_json(found)::text;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$""",
)
"""SQLite's functions of these names for PostgreSQL, so that both take the same queries: ``json_extract`` takes paths such as
``$.outcome.why``, and returns a JSON list for several paths. Invalid JSON gives NULL. The character U+0000, which PostgreSQL
cannot represent, becomes U+FFFD."""
for function in JSON_FUNCTIONS:
    event.listen(metadata, "before_create", DDL(function.replace("%", "%%")).execute_if(dialect="postgresql"))


class _Kind(Computed):
    """A column that SQLite computes when it is read, and PostgreSQL when the row is written: only then can an index there
    contain it."""


@compiles(_Kind)
def _when_asked(element: _Kind, compiler: DDLCompiler, **how: Any) -> str:
    return cast("Any", compiler).visit_computed_column(element, **how)


@compiles(_Kind, "postgresql")
def _when_written(element: _Kind, compiler: DDLCompiler, **how: Any) -> str:
    return f"GENERATED ALWAYS AS ({element.sqltext}) STORED"


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
    Column("fence", Integer, nullable=False, server_default=text("0")),
    Column("held_by", String(32), nullable=True),
    Column("held_until", Float, nullable=True),
    Column("person", String(200), nullable=False, server_default=""),
    Index("runs_of_person", "person", "created"),
)
"""One row per run: what ``deskcrew runs`` lists without folding anything. ``head``: id of the current branch's last event;
``imported``: whether it was imported, so that its workspace path must not be trusted; ``person``: the owner here, who for
an imported run is not the person that its first event names.

``fence``: how often a process has taken the run to execute it; ``held_by``: the data folder that had it last, and
``held_until``: when the lease ends, by the server's clock (``leases.py``). A SQLite file has locks beside it instead.
"""


def listed(created: float, task: str, crew: str, model: str) -> dict[str, object]:
    """The values of a run's row, shortened to what any database can hold; the run's first event has them whole."""
    texts = {"task": task, "crew": crew[:64], "model": model[:200]}
    return {"created": created, **{name: said.replace("\0", "\ufffd") for name, said in texts.items()}}


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
        _Kind("CASE WHEN json_valid(header) THEN json_extract(header, '$.type', '$.lane') END", persisted=False),
    ),
    Index("events_of_run", "run", "number", unique=True),
    Index("places_of_run", "run", "number", "id", "parent", "kind"),
)
"""``redacted``: texts of the body were removed before the import, so only the hashes are original; ``kind``: type and lane
as JSON, computed from the header; NULL if that is not JSON. The second index serves reading all events of a run."""

blobs = Table(
    "blobs",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Screenshots, observations, prompts and raw replies, by digest. Empty if the setting ``blobs`` names another place."""

branches = Table(
    "branches",
    metadata,
    Column("run", String(32), ForeignKey("runs.id"), primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("label", String(80), nullable=False),
    Column("hidden", Boolean, nullable=False),
)
"""People's labels of branches, and which are hidden from lists. ``start``: number of the branch's first event. They are not
events, because they do not affect the run."""

submissions = Table(
    "submissions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Float, nullable=False),
    Column("asked", Text, nullable=False),
)
"""Submissions to a fleet. ``asked``: the request that all its runs share, as JSON. A fleet's rows are in a database that
several machines share, and do not affect the record of a run."""

submitted = Table(
    "submitted",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("submission", String(32), ForeignKey("submissions.id"), nullable=False),
    Column("asked", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("why", Text, nullable=False, server_default=""),
    Column("node", String(80), nullable=False, server_default=""),
    Column("begun", Integer, nullable=False, server_default=text("0")),
    Column("tokens", BigInteger, nullable=False, server_default=text("0")),
    Column("cost", Float, nullable=True, server_default=text("0")),
    Column("untold", Boolean, nullable=False, server_default=false()),
    Column("question", Text, nullable=True),
    Column("answer", Text, nullable=True),
    Index("submitted_by_state", "state", "run"),
    Index("submitted_of_submission", "submission", "state"),
)
"""One row per run of a submission, from before it begins until after it has ended. ``run``: the id that it has, or will
have, in ``runs``; ``asked``: its own settings, as JSON; ``state``: waiting, running, asking, cancelling, or how it ended;
``node``: the last node to execute it, and ``begun``: how often one has begun to; ``untold``: whether it used more tokens, of
unknown number; ``cost``: US dollars, NULL if unknown; ``question`` and ``answer``: to and from a person, as JSON."""

fleet_log = Table(
    "fleet_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("submission", String(32), ForeignKey("submissions.id"), nullable=False),
    Column("run", String(32), nullable=False),
    Column("time", Float, nullable=False),
    Column("node", String(80), nullable=False),
    Column("text", Text, nullable=False),
    Index("log_of_submission", "submission", "id"),
)
"""What nodes report about their runs in addition to the runs' own records."""

fleet_heads = Table(
    "fleet_heads",
    metadata,
    Column("address", String(200), primary_key=True),
    Column("version", String(64), nullable=False),
    Column("seen", Float, nullable=False),
    Column("nodes", Text, nullable=False),
)
"""The processes that hand out submitted runs. ``address``: where nodes join; ``seen``: when it last reported; ``nodes``: its
nodes, as JSON."""

rates = Table(
    "rates",
    metadata,
    Column("model", String(200), primary_key=True),
    Column("due", Float, nullable=False),
)
"""When the next request to a model is due under its rate limit, by the server's clock."""
