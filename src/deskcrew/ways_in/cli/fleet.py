"""``deskcrew fleet``: many runs on many machines."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from deskcrew.errors import JournalError, UsageError, needing
from deskcrew.ways_in.cli.console import console, plain_table, print_json, tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    AllowedOptions,
    ApproveOption,
    CrewOptions,
    DataOption,
    JsonOption,
    ModeOption,
    OutputOptions,
    ProofOptions,
    bounds,
    may,
    settings_with,
    what,
)
from deskcrew.ways_in.report.text import clean, counted, moment, one_line

if TYPE_CHECKING:
    from deskcrew.engine.request import RunRequest
    from deskcrew.settings import Settings
    from deskcrew.ways_in.fleet.submissions import HeadProcess, StateCount, Submissions, SubmittedRow
    from deskcrew.ways_in.fleet.tasks import BrokenLine, Submission, Task

UP_EPILOG = """Examples:

deskcrew fleet up --head --host 10.0.0.5

deskcrew fleet up --join 10.0.0.5:6379 --desktops 4

All nodes need the same Deskcrew, the same journal (`database`, `blobs`), a data folder at the same path, and the head's
token. Details: `deskcrew docs scale`."""
SUBMIT_EPILOG = """Examples:

deskcrew fleet submit "Add up sales.csv" --workspace s3://bucket/sales --results s3://bucket/done --desktop none

deskcrew fleet submit tasks.jsonl --budget money=20 --model openai:gpt-5-mini

A task file has one JSON object per line, with task and, where they differ from the submission's: workspace, results, model,
crew, desktop, url, seed, limits. Invalid lines are reported and left out."""
STATUS_EPILOG = "Examples: deskcrew fleet status | deskcrew fleet status 1126-021500-4f5a6b --json"
CANCEL_EPILOG = "Examples: deskcrew fleet cancel 1126-021500-4f5a6b | deskcrew fleet cancel 1126-021500-4f5a6b-00007"
LOGS_EPILOG = "Examples: deskcrew fleet logs 1126-021500-4f5a6b --follow. What a run did is in its journal: deskcrew log RUN"
DOWN_EPILOG = "Example: deskcrew fleet down. Submitted runs are kept, and continue once there are nodes again."
LOOKS_EVERY = 1.0
SHOWN = 50

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Id of a submission, or of one of its runs.", show_default=False)
]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(no_args_is_help=True, help="Many runs on many machines, on Ray and PostgreSQL.")
    for command, epilog in (
        (up, UP_EPILOG),
        (submit, SUBMIT_EPILOG),
        (status, STATUS_EPILOG),
        (logs, LOGS_EPILOG),
        (cancel, CANCEL_EPILOG),
        (down, DOWN_EPILOG),
    ):
        app.command(epilog=epilog)(command)
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOptions:
    """Options of a node: its addresses, and how many runs it has room for."""

    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address by which other nodes reach this one.",
            show_default="this machine only",
        ),
    ] = ""
    port: Annotated[int, typer.Option("--port", min=1, max=65535, metavar="N", help="The head's port.")] = 6379
    cpus: Annotated[
        int | None,
        typer.Option("--cpus", min=1, metavar="N", help="Cores for runs, four runs each.", show_default="all"),
    ] = None
    desktops: Annotated[
        int | None,
        typer.Option("--desktops", min=0, metavar="N", help="Runs with a desktop at once.", show_default="one a core"),
    ] = None
    browsers: Annotated[
        int | None,
        typer.Option("--browsers", min=0, metavar="N", help="Runs with a browser at once.", show_default="one a core"),
    ] = None
    models: Annotated[int, typer.Option("--models", min=0, metavar="N", help="Runs with the local model at once.")] = 1


@grouped
def up(
    *,
    head: Annotated[
        bool, typer.Option("--head", help="Start the head: the node that places runs, and that others join.")
    ] = False,
    join: Annotated[str, typer.Option("--join", metavar="ADDRESS", help="Join the head at HOST:PORT.")] = "",
    node: NodeOptions,
    output: OutputOptions,
) -> None:
    """Make this machine a node of the fleet."""
    from deskcrew.ways_in.cli.checks import journal
    from deskcrew.ways_in.fleet.nodes import start

    if head == bool(join):
        raise UsageError("A node is either the head or joins one.", hint="Give --head or --join ADDRESS.")
    settings = settings_with(output.data)
    submissions = _submissions(settings)
    if (found := journal(settings)).state != "ok":
        raise JournalError(found.text, hint=found.mend)
    cores = node.cpus or os.cpu_count() or 1
    slots = {"desktop": node.desktops, "browser": node.browsers, "model": node.models}
    filled = {name: cores if amount is None else amount for name, amount in slots.items()}
    made = start(settings, submissions, join=join, host=node.host, port=node.port, cpus=node.cpus, slots=filled)
    if output.json:
        print_json({"address": made.address, "head": made.head, "pid": made.pid} | filled)
        return
    out = console()
    if made.head:
        out.print(f"The fleet's head is up. On other machines: deskcrew fleet up --join {made.address}", soft_wrap=True)
    else:
        out.print(f"This node has joined {made.address}.", soft_wrap=True)


BudgetOption = Annotated[
    list[str] | None,
    bounds(
        "--budget",
        metavar="NAME=VALUE",
        help="tokens or money (US dollars) that all runs together may use; once used up, no further run begins.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOptions:
    """Where the files of all runs come from, and where their results go."""

    workspace: Annotated[
        str,
        what("--workspace", metavar="URI", help="Folder to copy into each run's own.", show_default="an empty one"),
    ] = ""
    results: Annotated[
        str,
        what(
            "--results",
            metavar="URI",
            help="Folder for what each run leaves in its workspace.",
            show_default="in the journal only",
        ),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitOptions:
    """The options of all runs, which become their request."""

    who: CrewOptions
    desktop: Annotated[
        Literal["virtual", "browser", "none"] | None,
        what("--desktop", help="What it works on.", show_default="virtual"),
    ] = None
    proof: ProofOptions
    mode: ModeOption = None
    approve: ApproveOption = False
    allowed: AllowedOptions
    no_memory: Annotated[bool, may("--no-memory", help="Recall no earlier runs, and remember nothing of these.")] = False

    def request(self, settings: Settings) -> RunRequest:
        """The request, without a task, and without the policy, whose text is submitted beside it. Raises UsageError or
        ConfigError if an option is invalid."""
        from deskcrew.engine.request import usual
        from deskcrew.ways_in.cli import values

        base = usual(settings)
        return replace(
            self.allowed.of(base),
            model=self.who.model or base.model,
            crew=self.who.crew or base.crew,
            desktop=self.desktop or base.desktop,
            mode=values.mode_with(self.mode, approve=self.approve),
            memory=values.memory_with(settings.memory.use, none=self.no_memory, no_writes=False),
            policy=None,
            required=self.proof.required,
        )


@grouped
def submit(
    *,
    given: Annotated[str, typer.Argument(metavar="TASK|FILE.jsonl", help="A task, or a file of them.", show_default=False)],
    many: Annotated[int, typer.Option("--many", min=1, max=100_000, metavar="N", help="Do each task N times.")] = 1,
    folders: FolderOptions,
    options: SubmitOptions,
    budget: BudgetOption = None,
    output: OutputOptions,
) -> None:
    """Have the fleet do a task many times, or each task of a file."""
    from deskcrew.engine.request import prepare
    from deskcrew.ways_in.fleet.submissions import version
    from deskcrew.ways_in.fleet.tasks import Submission
    from deskcrew.ways_in.running.messages import Start

    settings = settings_with(output.data)
    tasks, broken = _tasks(given)
    request = options.request(settings)
    submission = _checked(
        Submission,
        start=Start(request=request, secrets=tuple(dict.fromkeys(options.allowed.secret or ()))),
        workspace=folders.workspace,
        results=folders.results,
        policy=_policy(options.allowed.policy, settings),
        version=version(),
        person=settings.person,
        **_budget(budget or []),
    )
    prepare(replace(request, task=tasks[0].task), settings)
    _check_prices(submission, tasks, settings)
    name = _submissions(settings).add(submission, [task for task in tasks for _ in range(many)])
    _show_submitted(name, len(tasks) * many, broken, json=output.json)


def status(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Id of a submission.", show_default=False)] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="Number of runs or submissions to show.")
    ] = SHOWN,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Show submissions and their states, even while no node is running."""
    submissions = _submissions(settings_with(data))
    of = submissions.named(name) if name is not None else None
    lines, heads = submissions.status(of), submissions.heads()
    rows = submissions.rows(of, limit=limit) if of is not None else []
    if json:
        submissions = [asdict(one) for one in _statuses(lines)[:limit]]
        runs = [asdict(row) for row in rows]
        print_json({"heads": [head._asdict() for head in heads], "submissions": submissions, "runs": runs})
    else:
        _show(lines, rows, heads, limit)


def logs(
    name: NameArgument,
    follow: Annotated[bool, typer.Option("--follow", help="Keep following until Ctrl-C.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Show the nodes' messages about the runs of a submission, or about one run."""
    submissions = _submissions(settings_with(data))
    out, last = console(), 0
    while True:
        told = submissions.log(name, last)
        for _, when, run, node, text in told:
            if json:
                print_json({"time": when, "run": run, "node": node, "text": text})
            else:
                out.print(clean(f"{moment(when)}  {run}  {node}  {text}"), soft_wrap=True)
        if not follow:
            return
        last = told[-1][0] if told else last
        time.sleep(LOOKS_EVERY)


def cancel(name: NameArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Cancel the runs of a submission, or one run. Runs that have begun end gracefully."""
    runs = _submissions(settings_with(data)).cancel(name)
    said = f"{counted(runs, 'run')} of {name} cancelled; those that are running end in a moment."
    tell(said, {"name": name, "cancelled": runs}, json=json)


def down(json: JsonOption = False, data: DataOption = None) -> None:
    """Stop this machine's nodes. The runs that they were working on continue elsewhere."""
    from deskcrew.ways_in.fleet.nodes import nodes, stop

    settings = settings_with(data)
    there = nodes(settings)
    for node in there:
        stop(settings, node)
        if node.head:
            _submissions(settings).gone(node.address)
    said = f"{counted(len(there), 'node')} stopped." if there else "No node was running here."
    tell(said, {"ended": [node.address for node in there]}, json=json)


def _submissions(settings: Settings) -> Submissions:
    with needing("fleet"):
        from deskcrew.ways_in.fleet.submissions import Submissions
    return Submissions(settings)


def _tasks(given: str) -> tuple[list[Task], list[BrokenLine]]:
    """The given task, or the tasks of the given file, with its invalid lines. Raises UsageError if there is none."""
    from deskcrew.ways_in.fleet.tasks import Task, read_tasks

    if not given.endswith(".jsonl"):
        return [_checked(Task, task=given.strip())], []
    try:
        with Path(given).open(encoding="utf-8", errors="replace") as lines:
            return read_tasks(lines)
    except OSError as error:
        raise UsageError(f"{given} cannot be read: {error.strerror}.") from error


def _checked(kind: Any, **values: Any) -> Any:
    """An instance of ``kind`` with these values. Raises UsageError if one is invalid."""
    from pydantic import ValidationError

    from deskcrew.facts.unfit import in_words

    try:
        return kind(**values)
    except ValidationError as error:
        raise UsageError(f"{in_words(error)}.") from error


def _policy(file: Path | None, settings: Settings) -> str | None:
    """The text of the policy for all runs: that of ``file``, else of the user's own; None if there is none. Raises
    ConfigError if it is invalid."""
    from deskcrew.guard.policy import FILE, Policy
    from deskcrew.settings import read_config

    own = settings.config / FILE
    path = file if file is not None else own if own.exists() else None
    if path is None:
        return None
    Policy.load(path)
    return read_config(path)


def _budget(given: list[str]) -> dict[str, float]:
    kinds = {"tokens": int, "money": float}
    found: dict[str, float] = {}
    for pair in given:
        name, _, value = pair.partition("=")
        try:
            found[name] = kinds[name](value)
        except (KeyError, ValueError):
            hint = "For example --budget money=20 or --budget tokens=5000000."
            raise UsageError(f"--budget {pair!r} is not a limit.", hint=hint) from None
        if not found[name] > 0:
            raise UsageError(f"With --budget {pair!r}, no run could begin.")
    return found


def _check_prices(submission: Submission, tasks: list[Task], settings: Settings) -> None:
    from deskcrew.models.prices import price_known

    if submission.money is None:
        return
    for model in {task.model or submission.start.request.model for task in tasks}:
        if not price_known(model, settings.prices):
            hint = "Set it in settings.toml ([prices]), or limit the tokens: --budget tokens=N."
            raise UsageError(f"Spending cannot be limited: the price of {model} is not known.", hint=hint)


def _show_submitted(name: str, runs: int, broken: list[BrokenLine], *, json: bool) -> None:
    if json:
        print_json({"submission": name, "runs": runs, "left_out": [line._asdict() for line in broken]})
        return
    out = console()
    for line in broken:
        out.print(clean(f"Line {line.number} is left out: {line.why}"), style="yellow", soft_wrap=True)
    out.print(f"Submitted {counted(runs, 'run')} as {name}. See: deskcrew fleet status {name}", soft_wrap=True)


@dataclass(frozen=True, slots=True)
class SubmissionStatus:
    """The progress of a submission. ``states``: how many of its runs are in each state."""

    id: str
    created: float
    states: dict[str, int]
    tokens: int
    cost: float


def _statuses(lines: list[StateCount]) -> list[SubmissionStatus]:
    found: dict[str, list[StateCount]] = {}
    for line in lines:
        found.setdefault(line.submission, []).append(line)
    return [
        SubmissionStatus(
            id,
            some[0].created,
            {line.state: line.runs for line in some},
            sum(line.tokens for line in some),
            sum((line.cost for line in some), 0.0),
        )
        for id, some in found.items()
    ]


def _show(lines: list[StateCount], rows: list[SubmittedRow], heads: list[HeadProcess], limit: int) -> None:
    out = console()
    for head in heads:
        have = ", ".join(f"{name} ({_amounts(has)})" for name, has in head.nodes.items()) or "no node"
        out.print(clean(f"Head {head.address}, last heard from {head.silent:.0f} s ago: {have}"), soft_wrap=True)
    if not heads:
        out.print("No head is running. Start one: deskcrew fleet up --head", style="yellow")
    submissions = _statuses(lines)[:limit]
    table = plain_table("submission", "submitted", "runs", "tokens", "US dollars")
    for one in submissions:
        states = ", ".join(f"{runs:,} {state.replace('_', ' ')}" for state, runs in one.states.items())
        table.add_row(one.id, moment(one.created), states, f"{one.tokens:,}", f"{one.cost:.2f}")
    out.print(table if submissions else Text("Nothing was submitted yet."))
    if rows:
        runs = plain_table("run", "state", "begun", "node", "why")
        for row in rows:
            asks = f"deskcrew answer {row.run} ..." if row.state == "asking" else row.why
            cells = (row.run, row.state.replace("_", " "), str(row.begun), row.node, one_line(asks, 200))
            runs.add_row(*(Text(cell) for cell in cells))
        out.print(runs)


def _amounts(has: dict[str, float]) -> str:
    return ", ".join(f"{amount:g} {name}" for name, amount in sorted(has.items()) if not name.startswith("deskcrew"))
