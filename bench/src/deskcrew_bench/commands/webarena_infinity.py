"""``deskcrew bench webarena-infinity``: applications that others made, and tasks whose verifiers say what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.peer import PeersOption
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import OnlyOption, OnOption, on_fleet, without_result

HERE = Path("bench/webarena-infinity")
AppsOption = Annotated[
    Path, typer.Option("--apps", metavar="DIR", help="Folder with the applications of WebArena-Infinity, each a folder.")
]
AppOption = Annotated[
    list[str] | None, typer.Option("--app", metavar="NAME", help="Only this application; may be given more than once.")
]
DifficultyOption = Annotated[
    Literal["easy", "medium", "hard"] | None, typer.Option("--difficulty", help="Only tasks of this difficulty.")
]
OraclesOption = Annotated[Path, typer.Option("--oracles", metavar="DIR", help="What is done to solve tasks: DIR/APP.toml.")]
RepliesOption = Annotated[
    Path, typer.Option("--replies", metavar="DIR", help="Kept replies on what must hold: DIR/APP/TASK.json.")
]
JudgedOption = Annotated[
    str,
    typer.Option("--judged-by", metavar="MODEL", help="Who says what must hold when an oracle or a mutant of one works."),
]


def webarena_infinity(
    apps: AppsOption,
    app: AppOption = None,
    difficulty: DifficultyOption = None,
    only: OnlyOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    oracles: OraclesOption = HERE / "oracles",
    replies: RepliesOption = HERE / "replies",
    judged_by: JudgedOption = "",
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="Another agent in place of a crew: browser-use.")] = "",
    peers: PeersOption = Path("bench/peers"),
    keep: Annotated[bool, typer.Option("--keep", help="Keep the replies of --judged-by in --replies.")] = False,
    each: Annotated[int, typer.Option("--each", min=0, help="At most this many mutants of a task; 0: all.")] = 12,
    on: OnOption = "",
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Tasks in applications that others made: done, and said to be? A model may also be no-op, oracle (the operations of
    --oracles) or mutants (the same with one thing wrong), the controls.

    Mutants that a verifier is satisfied with do not count. Exit code 0 when every trial ran, whatever came of it. With
    --jsonl a series that was interrupted goes on.
    """
    import anyio

    from deskcrew.errors import UsageError
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console
    from deskcrew_bench.commands.others import show, tell
    from deskcrew_bench.peers import applications
    from deskcrew_bench.peers import suite as running
    from deskcrew_bench.series import go_on
    from deskcrew_bench.suites.others import finished
    from deskcrew_bench.webarena_infinity import suite
    from deskcrew_bench.webarena_infinity.apps import tasks_of
    from deskcrew_bench.webarena_infinity.oracles import solutions_in

    if on and (keep or peer):
        raise UsageError("Replies are kept, and peers work, on this machine only.", hint="Leave out --on.")
    settings = settings_with(data)
    name, by = model or settings.model, peer or crew or settings.crew
    if peer and name in suite.CONTROLS:
        raise UsageError(f"{name} is no model that {peer} could ask.", hint="Use local, local:NAME or http://HOST/v1#NAME.")
    found_peer = running.peer(peers, peer) if peer else None
    tasks = tasks_of(apps.resolve(), app or (), (difficulty,) if difficulty else (), only or ())
    solutions = {each_app: solutions_in(oracles, each_app) for each_app in dict.fromkeys(task.app for task in tasks)}
    wanted = {(task.name, what): (task, found) for task, what, found in suite.wanted(tasks, solutions, name, each)}
    if not wanted:
        raise UsageError("There is nothing to try.", hint=f"{oracles} says which tasks have operations written down.")
    known = finished(jsonl, suite.Trial, name, by, command=suite.COMMAND)
    judging = suite.Judging(folder=replies, model=judged_by, keep=keep)

    def told(trial: suite.Trial) -> None:
        if not (trial.mutant and trial.right):
            tell(trial, json=json)

    async def all_of_them() -> list[suite.Trial]:
        options = ModelOptions.of(settings)
        loaded = create(name, options=options) if name not in suite.CONTROLS else None

        async def one(key: tuple[str, str]) -> suite.Trial:
            task, solution = wanted[key]
            if found_peer is not None:
                asked = await running.upstream(name, loaded)
                return await applications.attempt(task, settings, peer=found_peer, asked=asked, model=name)
            return await suite.attempt(
                task, settings, model=name, crew=by, mutant=key[1], solution=solution, judging=judging, loaded=loaded
            )

        try:
            return await go_on(wanted, known, one, path=jsonl, told=told)
        finally:
            if loaded is not None:
                await loaded.close()

    failed: dict[tuple[str, str], str] = {}
    episodes = suite.Episodes(name, by, {key: of for key, (_, of) in wanted.items() if of is not None}, judged_by)
    files = episodes.files([task for task, _ in wanted.values()], judging)
    if (fleet := on_fleet(on, episodes, files, settings)) is not None:
        found, failed = fleet.go_on(wanted, known, path=jsonl, told=told)
    else:
        found = anyio.run(all_of_them)
    missing = {" ".join(filter(None, key)): why for key, why in failed.items()}
    show([trial for trial in found if not (trial.mutant and trial.right)], json=json, failed=missing)
    if missing:
        console(stderr=json).print(without_result(missing, kept=jsonl is not None), soft_wrap=True, markup=False)
        raise typer.Exit(1)
