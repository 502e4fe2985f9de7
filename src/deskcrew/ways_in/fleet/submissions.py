"""Submissions, and the state of each of their runs: rows of the journal's database, the only record of them.

The process that places runs may vanish and come back: open runs are then handed over again, and a run that had begun
continues from its journal. A run has its id from the beginning, so that it cannot begin twice: ``runs`` can have only one
row with that id.
"""

from __future__ import annotations

import importlib.metadata
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, and_, case, cast, func, insert, literal, null, or_, select, update

from deskcrew.errors import UsageError
from deskcrew.journal import schema
from deskcrew.journal.leases import now
from deskcrew.journal.records import Spent
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.tasks import AskedRun, Submission, Task

OPEN = ("waiting", "running", "cancelling")
"""States of runs that are to be handed over; a run in the state ``asking`` waits for a person instead."""
GOING_ON = (*OPEN, "asking")
OVER_BUDGET = "over_budget"
MOST = 100_000
"""The maximum number of runs of one submission."""
_ROWS = schema.submitted.c


class StateCount(NamedTuple):
    """How many runs of a submission are in a state, and their tokens and cost, as far as known."""

    submission: str
    created: float
    state: str
    runs: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class SubmittedRow:
    """The state of a run of a submission; see ``schema.submitted``."""

    run: str
    submission: str
    state: str
    why: str
    node: str
    begun: int
    question: str | None
    answer: str | None


class RunTurn(NamedTuple):
    """A run that a node may start or continue now. ``answered``: a person has answered its question."""

    run: str
    submission: str
    asked: AskedRun
    answered: bool


class HeadProcess(NamedTuple):
    """A head: a process that hands runs over. ``silent``: seconds since a heartbeat; ``nodes``: each node's resources."""

    address: str
    version: str
    silent: float
    nodes: dict[str, dict[str, float]]


class Submissions:
    """The submissions of a database. Every call blocks, is a transaction of its own, and raises JournalError if the
    database cannot be used."""

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        """``store``: an open store, whose connections are used. Raises UsageError if the journal is a file."""
        if not settings.database:
            hint = (
                "Name a PostgreSQL server in `database` of settings.toml, or in DESKCREW_DATABASE (`deskcrew docs scale`)."
            )
            raise UsageError("A fleet needs a journal that all its nodes can reach.", hint=hint)
        self.store = store or Store.of(settings)
        self._database = self.store.database

    def add(self, submission: Submission, tasks: Sequence[Task]) -> str:
        """Store a submission, whose runs start as soon as there is room for them; returns its id. Raises UsageError if there
        are no runs, or too many."""
        if not 0 < len(tasks) <= MOST:
            raise UsageError(f"A submission has 1 to {MOST:,} runs, not {len(tasks):,}.", hint="Submit a part of it.")
        name = time.strftime("%m%d-%H%M%S-") + secrets.token_hex(3)
        kept = [
            {"run": f"{name}-{number:05}", "submission": name, "asked": _own(task), "state": "waiting"}
            for number, task in enumerate(tasks, 1)
        ]
        row = {"id": name, "created": time.time(), "asked": submission.model_dump_json()}
        with self._database.writing() as connection:
            connection.execute(insert(schema.submissions), row)
            connection.execute(insert(schema.submitted), kept)
        return name

    def open(self, most: int) -> list[str]:
        """The ids of the oldest open runs, at most ``most``, whether handed over or not."""
        query = select(_ROWS.run).where(_ROWS.state.in_(OPEN)).order_by(_ROWS.run).limit(most)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def asked(self, runs: Sequence[str]) -> dict[str, AskedRun]:
        """The requests of these runs, by id."""
        query = _asked_of(_ROWS.run).where(_ROWS.run.in_(runs))
        with self._database.reading() as connection:
            return {row.run: AskedRun.read(row.common, row.asked) for row in connection.execute(query)}

    def begin(self, run: str, node: str) -> RunTurn | None:
        """Record that a node starts or continues a run. None if it must not: the run has ended, waits for a person or was
        cancelled, or its submission has used up its budget."""
        query = _asked_of(_ROWS.submission, _ROWS.state, _ROWS.begun, _ROWS.answer).where(_ROWS.run == run)
        with self._database.writing() as connection:
            row = connection.execute(query.with_for_update(of=schema.submitted)).one()
            if row.state == "cancelling":
                self._ends(connection, run, "cancelled", "")
            if row.state not in ("waiting", "running"):
                return None
            asked = AskedRun.read(row.common, row.asked)
            if not row.begun and (why := self._used_up(connection, row.submission, asked.submission)):
                self._ends(connection, run, OVER_BUDGET, why)
                self._log(connection, run, node, f"not begun: {why}")
                return None
            values = {"state": "running", "node": node, "begun": _ROWS.begun + 1}
            connection.execute(update(schema.submitted).where(_ROWS.run == run).values(**values))
            return RunTurn(run, row.submission, asked, row.answer is not None)

    def going(self, run: str, spent: Spent | None) -> bool:
        """Whether a run is to continue. Also stores ``spent``, what it has used so far, unless None."""
        kept = update(schema.submitted).where(_ROWS.run == run)
        with self._database.at_once() as connection:
            if spent is not None:
                connection.execute(kept.values(**_taken(spent)))
            state = connection.execute(select(_ROWS.state).where(_ROWS.run == run)).scalar()
        return state not in ("cancelling", "cancelled")

    def end(self, run: str, state: str, why: str = "", spent: Spent | None = None) -> None:
        """Store how a run ended. A run that stopped because it was cancelled counts as cancelled."""
        with self._database.writing() as connection:
            self._ends(connection, run, state, why, spent)

    def cancel(self, name: str) -> int:
        """Cancel a run, or all runs of a submission, by id: they do not start, or end cleanly. Returns their number. Raises
        UsageError if there is no such run or submission."""
        self.named(name)
        which = and_(or_(_ROWS.submission == name, _ROWS.run == name), _ROWS.state.in_(GOING_ON))
        then = case((_ROWS.state == "running", "cancelling"), (_ROWS.state == "cancelling", "cancelling"), else_="cancelled")
        with self._database.writing() as connection:
            return connection.execute(update(schema.submitted).where(which).values(state=then)).rowcount

    # Questions.

    def ask(self, run: str, question: str) -> str | None:
        """Store a run's question, unless it is stored already. Returns the answer; None while there is none."""
        this = _ROWS.run == run
        with self._database.writing() as connection:
            row = connection.execute(select(_ROWS.question, _ROWS.answer).where(this).with_for_update()).one()
            if row.question == question:
                return row.answer
            values = {"question": question, "answer": null(), "state": "asking"}
            open_ = _ROWS.state.in_(("running", "asking"))
            connection.execute(update(schema.submitted).where(this, open_).values(**values))
            return None

    def taken(self, run: str) -> None:
        """Record that the run has used the answer to its question."""
        values = {
            "question": null(),
            "answer": null(),
            "state": case((_ROWS.state == "waiting", "running"), else_=_ROWS.state),
        }
        with self._database.writing() as connection:
            connection.execute(update(schema.submitted).where(_ROWS.run == run).values(**values))

    def answer(self, run: str, question: str, answer: str) -> bool:
        """Answer a question, from any machine; returns whether it was open. The run continues, even if no process has it."""
        asks = (_ROWS.run == run, _ROWS.question == question, _ROWS.answer.is_(None), _ROWS.state == "asking")
        with self._database.writing() as connection:
            done = update(schema.submitted).where(*asks).values(answer=answer, state="waiting")
            return connection.execute(done).rowcount == 1

    def asking(self) -> list[str]:
        """The runs with an open question."""
        query = select(_ROWS.run).where(_ROWS.state == "asking", _ROWS.question.is_not(None)).order_by(_ROWS.run)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    # Looking.

    def named(self, name: str) -> str:
        """The id of the submission that has this id, or whose run has it. Raises UsageError if there is neither."""
        query = select(_ROWS.submission).where(or_(_ROWS.submission == name, _ROWS.run == name)).limit(1)
        with self._database.reading() as connection:
            found = connection.execute(query).scalar()
        if found is None:
            raise UsageError(f"Nothing named {name!r} was submitted.", hint="`deskcrew fleet status` lists it.")
        return found

    def status(self, submission: str | None = None) -> list[StateCount]:
        """How many runs are in each state, for each submission or only for ``submission``; the newest first."""
        sums = (func.count(), cast(func.sum(_ROWS.tokens), BigInteger), func.coalesce(func.sum(_ROWS.cost), 0.0))
        counted = select(_ROWS.submission, _ROWS.state, *sums).group_by(_ROWS.submission, _ROWS.state)
        if submission is not None:
            counted = counted.where(_ROWS.submission == submission)
        counts = counted.subquery()
        columns = schema.submissions.c
        query = select(counts.c[0], columns.created, *list(counts.c)[1:]).join(columns.id.table, columns.id == counts.c[0])
        with self._database.reading() as connection:
            return [StateCount(*row) for row in connection.execute(query.order_by(columns.created.desc(), counts.c.state))]

    def rows(self, submission: str, *, states: Sequence[str] = (), limit: int = 50) -> list[SubmittedRow]:
        """The first ``limit`` runs of a submission, in its order. ``states``: only runs in one of these states."""
        names = SubmittedRow.__slots__
        query = select(*(_ROWS[name] for name in names)).where(_ROWS.submission == submission)
        if states:
            query = query.where(_ROWS.state.in_(states))
        with self._database.reading() as connection:
            return [SubmittedRow(*row) for row in connection.execute(query.order_by(_ROWS.run).limit(limit))]

    def row(self, run: str) -> SubmittedRow | None:
        """The state of the run with that id; None if it was not submitted."""
        query = select(*(_ROWS[name] for name in SubmittedRow.__slots__)).where(_ROWS.run == run)
        with self._database.reading() as connection:
            found = connection.execute(query).first()
        return SubmittedRow(*found) if found is not None else None

    def log(self, name: str, after: int = 0) -> list[tuple[int, float, str, str, str]]:
        """Messages about a submission or a run, oldest first: number, Unix seconds, run, node, text."""
        columns = schema.fleet_log.c
        query = select(columns.id, columns.time, columns.run, columns.node, columns.text)
        which = or_(columns.submission == name, columns.run == name)
        of = columns.submission == self.named(name)
        with self._database.reading() as connection:
            found = connection.execute(query.where(of, which, columns.id > after).order_by(columns.id))
            return [(row.id, row.time, row.run, row.node, row.text) for row in found]

    def tell(self, run: str, node: str, text: str) -> None:
        """Store a message about a run."""
        with self._database.writing() as connection:
            self._log(connection, run, node, text)

    # Rates.

    def reserve(self, model: str, a_minute: float) -> float:
        """Reserve the next request to a model, and return in how many seconds it is due. ``a_minute``: the limit over all
        nodes; a sixth of it may be sent at once."""
        each, at_once = 60 / a_minute, max(a_minute / 6, 1.0) - 1
        made = self._database.upsert(schema.rates).values(model=model, due=now() - at_once * each + each)
        due = func.greatest(schema.rates.c.due, now() - at_once * each) + each
        kept = made.on_conflict_do_update(index_elements=["model"], set_={"due": due})
        with self._database.writing() as connection:
            return max(connection.execute(kept.returning(schema.rates.c.due - each - now())).scalar() or 0.0, 0.0)

    # Who hands over.

    def heard(self, address: str, nodes: dict[str, dict[str, float]]) -> None:
        """Store a heartbeat of the head at an address, with its nodes."""
        values = {"version": version(), "seen": now(), "nodes": json.dumps(nodes)}
        made = self._database.upsert(schema.fleet_heads).values(address=address, **values)
        with self._database.writing() as connection:
            connection.execute(made.on_conflict_do_update(index_elements=["address"], set_=values))

    def heads(self) -> list[HeadProcess]:
        """The known heads, the one with the latest heartbeat first."""
        columns = schema.fleet_heads.c
        query = select(columns.address, columns.version, now() - columns.seen, columns.nodes).order_by(columns.seen.desc())
        with self._database.reading() as connection:
            return [HeadProcess(row[0], row[1], row[2], json.loads(row[3])) for row in connection.execute(query)]

    def gone(self, address: str) -> None:
        """Record that the head at an address was stopped."""
        with self._database.writing() as connection:
            connection.execute(schema.fleet_heads.delete().where(schema.fleet_heads.c.address == address))

    # How it is done.

    def _ends(self, connection: Connection, run: str, state: str, why: str, spent: Spent | None = None) -> None:
        stopped = literal(state == "stopped")
        then = case((and_(stopped, _ROWS.state == "cancelling"), "cancelled"), else_=literal(state))
        values = {"state": then, "why": why, "question": null(), "answer": null()} | (_taken(spent) if spent else {})
        # What has ended has: a process that comes late changes nothing about it.
        connection.execute(update(schema.submitted).where(_ROWS.run == run, _ROWS.state.in_(GOING_ON)).values(**values))

    def _used_up(self, connection: Connection, name: str, submission: Submission) -> str:
        """Why no further run of a submission may start; '' if one may."""
        if submission.tokens is None and submission.money is None:
            return ""
        unknown = func.bool_or(_ROWS.untold), func.bool_or(_ROWS.cost.is_(None))
        sums = select(func.sum(_ROWS.tokens), func.sum(_ROWS.cost), *unknown).where(_ROWS.submission == name)
        tokens, cost, untold, unpriced = connection.execute(sums).one()
        if submission.tokens is not None and (untold or tokens >= submission.tokens):
            taken = "an unknown number of" if untold else f"{tokens:,}"
            return f"the runs of its submission have used {taken} tokens, and may use {submission.tokens:,}"
        if submission.money is not None and (unpriced or cost >= submission.money):
            costs = "an unknown sum" if unpriced else f"{cost:.2f} US dollars"
            return f"the runs of its submission have cost {costs}, and may cost {submission.money:.2f} US dollars"
        return ""

    def _log(self, connection: Connection, run: str, node: str, text: str) -> None:
        of = select(_ROWS.submission).where(_ROWS.run == run).scalar_subquery()
        values = {"submission": of, "run": run, "time": now(), "node": node, "text": text.replace("\0", "\ufffd")}
        connection.execute(insert(schema.fleet_log).values(**values))


def version() -> str:
    """The version of this Deskcrew."""
    return importlib.metadata.version("deskcrew")


def _own(task: Task) -> str:
    return task.model_dump_json(exclude_unset=True)


def _asked_of(*columns: Any) -> Select[Any]:
    """A query for these columns of runs, and their requests."""
    common = schema.submissions.c
    wanted = [*columns, _ROWS.asked, common.asked.label("common")]
    return select(*wanted).join(schema.submissions, common.id == _ROWS.submission)


def _taken(spent: Spent) -> dict[str, object]:
    return {"tokens": spent.tokens, "cost": spent.cost, "untold": bool(spent.untold)}
