"""``deskcrew bench again``: is a chore nearly free the second time, and never wrong?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import JsonlOption
from deskcrew_bench.commands.suite import OnlyOption, OnOption, on_fleet, without_result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from deskcrew.settings import Settings
    from deskcrew_bench.again.family import Family
    from deskcrew_bench.again.measure import Attempt, Bench, Done, Episodes, Gain, Kept, Key, Totals, Try
    from deskcrew_bench.again.recalling import Row

FOLDER = Path("bench/again")


def again(
    only: OnlyOption = None,
    folder: Annotated[Path, typer.Option("--families", metavar="DIR", help="Folder of families.")] = FOLDER,
    model: Annotated[
        str, typer.Option("--model", help="Who does the variants; strong: hand-written replies.", show_default="strong")
    ] = "strong",
    variants: Annotated[int, typer.Option("--variants", min=1, max=4, help="Of each family; the last is reworded.")] = 4,
    without: Annotated[
        bool, typer.Option("--without/--no-without", help="Do them without the skill, too: what it costs is compared.")
    ] = True,
    wrong: Annotated[bool, typer.Option("--wrong/--no-wrong", help="Offer another family's skill, too.")] = True,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="Long-term memory alone: no skill is kept, and variants are done with and without."),
    ] = False,
    recall: Annotated[
        bool,
        typer.Option("--recall", help="What is recalled when chores come again, by number, kind and wording; no model."),
    ] = False,
    taught: Annotated[int, typer.Option("--taught", min=1, help="Variants of each that --recall has proven first.")] = 2,
    seed: Annotated[
        int, typer.Option("--seed", min=1, help="With --memory: of what the model samples, and of the chores' values.")
    ] = 1,
    on: OnOption = "",
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Families of chores, each proven once and kept as a skill: variants with it, without, and with a wrong one.

    Exit code 1 where anything was said to be done and was wrong, or a fleet could not do a family. With --jsonl a series
    that was interrupted goes on with the families that are left, with --memory with the variants that are."""
    from deskcrew.errors import UsageError
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.again import measure
    from deskcrew_bench.again.family import families

    settings, out = settings_with(data), console(stderr=json)
    some = families(folder, only or ())
    if memory or recall:
        if on or (recall and jsonl):
            hint = "Leave out --on." if on else "Leave out --jsonl: it takes a few minutes."
            raise UsageError("What is remembered of one family is there for all: they are done in one place.", hint=hint)
        if recall:
            _recall(some, settings, variants, taught, json=json)
        else:
            tried = measure.attempted(jsonl, model=model, seed=seed) if jsonl else {}
            _with_memory(some, measure.Bench(settings, measure.ALONE, seed), model, variants, tried, jsonl, json=json)
        return
    wanted = measure.wanted(some, wrong=wrong)
    known = measure.finished(jsonl, model=model, crew=settings.crew, variants=variants, without=without) if jsonl else {}
    episodes = measure.Episodes(model, settings.crew, variants, without)
    failed: dict[measure.Key, str] = {}

    def say(one: Kept | Attempt) -> None:
        out.print(_kept(one) if isinstance(one, measure.Kept) else _line(one), soft_wrap=True, markup=False)

    def told(done: Done) -> None:
        for one in (done.kept, *done.attempts):
            say(one)

    if (fleet := on_fleet(on, episodes, episodes.files(folder, some) if on else {}, settings)) is not None:
        found, failed = fleet.go_on(wanted, known, path=jsonl, told=told)
    else:
        found = _here(wanted, known, settings, episodes, jsonl, say, told)
    kept, attempts = [done.kept for done in found], [one for done in found for one in done.attempts]
    summed = measure.totals(kept, attempts)
    out.print(_table(kept, attempts))
    out.print(_summary(summed), soft_wrap=True)
    missing = {name: why for (name, _), why in failed.items()}
    if json:
        listed = {"kept": [each.model_dump(mode="json") for each in kept], "totals": summed.model_dump(mode="json")}
        listed |= {"attempts": [each.model_dump(mode="json") for each in attempts]}
        print_json(listed | ({"failed": missing} if missing else {}))
    if missing:
        out.print(without_result(missing, kept=jsonl is not None), soft_wrap=True, markup=False)
    raise typer.Exit(1 if summed.false or summed.wrong_false or missing else 0)


def _here(
    wanted: Mapping[Key, tuple[Family, Family | None]], known: Mapping[Key, Done], settings: Settings, by: Episodes,
    jsonl: Path | None, say: Callable[[Kept | Attempt], None], told: Callable[[Done], None],
) -> list[Done]:  # fmt: skip
    """One family after the other, on this machine."""
    import anyio

    from deskcrew_bench.again.measure import Bench, model_of
    from deskcrew_bench.series import go_on

    bench = Bench(settings)

    async def all_of_them() -> list[Done]:
        loaded = model_of(by.model, settings)

        async def one(key: Key) -> Done:
            family, other = wanted[key]
            return await bench.whole(
                family, other, variants=by.variants, without=by.without, model=by.model, loaded=loaded, told=say
            )

        try:
            # What is done now has been told as it was done.
            return await go_on(
                wanted, known, one, path=jsonl, told=lambda done: told(done) if done is known.get(done.key) else None
            )
        finally:
            if loaded is not None:
                await loaded.close()

    return anyio.run(all_of_them)


def _with_memory(
    wanted: Sequence[Family], bench: Bench, model: str, variants: int, known: Mapping[Try, Attempt], jsonl: Path | None,
    *, json: bool,
) -> None:  # fmt: skip
    """Variants with what is remembered and without, and what they amount to. What is to be remembered is done again by a
    series that goes on."""
    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.again import measure
    from deskcrew_bench.series import go_on

    out = console(stderr=json)
    by_name = {family.name: family for family in wanted}
    numbers = range(measure.VARIANTS - variants + 1, measure.VARIANTS + 1)
    # A variant of each family first: what is ended early is still of all kinds.
    tries: list[Try] = [(name, number, how) for number in numbers for name in by_name for how in ("memory", "nothing")]

    async def remembered() -> tuple[list[Kept], list[Attempt]]:
        loaded = measure.model_of(model, bench.settings)
        kept = await _taught(bench, wanted, measure.TAUGHT, out)
        seeds = {one.family: one.seeds[measure.TAUGHT :] for one in kept}

        async def attempt(one: Try) -> Attempt:
            name, number, how = one
            return await bench.attempt(by_name[name], number, seeds[name][number - 1], how, model=model, loaded=loaded)

        def told(one: Attempt) -> None:
            out.print(_line(one), soft_wrap=True, markup=False)

        try:
            return kept, await go_on(tries, known, attempt, path=jsonl, told=told)
        finally:
            if loaded is not None:
                await loaded.close()

    kept, attempts = anyio.run(remembered)
    gain = measure.gained(attempts)
    out.print(_gain(gain), soft_wrap=True)
    if json:
        told = {"taught": [each.model_dump(mode="json") for each in kept], "gain": gain.model_dump(mode="json")}
        print_json(told | {"attempts": [each.model_dump(mode="json") for each in attempts]})
    raise typer.Exit(1 if gain.false else 0)


async def _taught(bench: Bench, wanted: Sequence[Family], count: int, out: Console) -> list[Kept]:
    """Has so many variants of each proven and remembered."""
    kept: list[Kept] = []
    for family in wanted:
        kept.append(await bench.teach(family, count))
        note = f" ({kept[-1].why})" if kept[-1].why else ""
        out.print(f"{family.name}: {kept[-1].score} of {count} proven{note}", soft_wrap=True, markup=False)
    return kept


def _recall(wanted: Sequence[Family], settings: Settings, variants: int, taught: int, *, json: bool) -> None:
    """``taught`` variants are done by hand and remembered; what the tasks of others then recall. A family of which nothing
    could be proven is not asked for."""
    import tempfile

    import anyio

    from deskcrew.learning.memory.factory import embedder_of
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.again import recalling
    from deskcrew_bench.again.measure import VARIANTS, Bench

    out = console(stderr=json)
    bench = Bench(settings)
    kept = anyio.run(_taught, bench, wanted, taught, out)
    entries, whose = bench.remembered(), {run: one.family for one in kept for run in one.runs}
    embedder = embedder_of(settings.memory)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        asked = [
            query
            for family, one in zip(wanted, kept, strict=True)
            if one.runs
            for query in recalling.queries(family, one.seeds[taught + VARIANTS - variants :], Path(folder) / family.name)
        ]
        rows = recalling.measure(Path(folder), entries, whose, asked, embedder)
    out.print(_recall_table(rows))
    by = embedder.name if embedder is not None else "no embedder"
    of = len({query.family for query in asked})
    out.print(f"{len(asked)} tasks of {of} families, {len(entries)} entries of {len(whose)} runs; {by}", soft_wrap=True)
    if json:
        told = {"taught": [each.model_dump(mode="json") for each in kept], "entries": len(entries), "embedder": by}
        print_json(told | {"rows": [each.model_dump(mode="json") for each in rows]})


def _recall_table(rows: Sequence[Row]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("wording", "kinds", "n", "hit, same words", "other words", "mean rank", "of other families", "tokens"):
        table.add_column(column)
    for row in rows:
        rank = "-" if row.rank is None else f"{row.rank:.2f}"
        hits = f"{row.hit:.0%}", f"{row.reworded:.0%}"
        table.add_row(row.wording, row.kind, f"{row.count}", *hits, rank, f"{row.others:.2f}", f"{row.tokens:.0f}")
    return table


def _kept(one: Kept) -> str:
    from deskcrew.learning.skills.trials import OFFERED

    note = f" ({one.why})" if one.score < OFFERED else ""
    return f"{one.family}: kept with a score of {one.score}{note}"


def _line(one: Attempt) -> str:
    what = "right" if one.right else f"wrong ({one.said})"
    why = f" ({one.why})" if one.outcome != "done" else ""
    cost = f"{one.calls} calls, {one.tokens} tokens, {one.seconds:g} s"
    return f"{one.family} {one.variant}, with {one.how}: {one.outcome}{why}, {what}; {cost}"


def _table(kept: Sequence[Kept], attempts: Sequence[Attempt]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("family", "kind", "score", "done and right", "without", "done and wrong", "calls", "a wrong skill"):
        table.add_column(column)
    for each in kept:
        own = [one for one in attempts if one.family == each.family]
        withs = [one for one in own if one.how == "skill"]
        without = [one for one in own if one.how == "nothing"]
        wrong = [one for one in own if one.how == "wrong skill"]
        table.add_row(
            each.family,
            own[0].kind if own else "",
            f"{each.score}",
            f"{sum(one.success for one in withs)} of {len(withs)}",
            f"{sum(one.success for one in without)} of {len(without)}",
            f"{sum(one.false for one in (*withs, *without))}",
            ", ".join(f"{one.calls}" for one in withs),
            ", ".join(f"{one.outcome}{'' if one.right else ', wrong'}" for one in wrong),
        )
    return table


def _gain(found: Gain) -> str:
    low, high = found.interval
    between = "" if low is None or high is None else f", 95 % interval {low:+.0%} to {high:+.0%}"
    return (
        f"{found.variants} variants: {found.success:.0%} done and right with what is remembered, {found.without:.0%} "
        f"without: {found.difference:+.0%}{between}; in {found.recalled} something was recalled; "
        f"right, whatever was said: {found.right} with and {found.right_without} without; {found.false} done and wrong"
    )


def _summary(found: Totals) -> str:
    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.0%}"

    return (
        f"{found.variants} variants of {found.families} families ({found.unkept} became no skill): {found.success:.0%} done "
        f"and right (without: {share(found.without)}), {found.false} done and wrong; medians: {found.calls} calls, "
        f"{share(found.tokens)} of the tokens and {share(found.seconds)} of the seconds without; "
        f"a wrong skill: {found.wrong_false} of {found.wrong} done and wrong"
    )
