"""Right operations with one thing wrong in them, made by program from an oracle: nobody chooses them.

An operation left out, the last one first; another row, owner or option; another text; all of it done twice; an operation of
another task besides. Whether anything is wrong with what came of it is for the task's verifier to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deskcrew_bench.webarena_infinity.oracles import NEXT, Solution, Step


def mutants(solution: Solution, others: Sequence[Solution] = (), most: int = 0) -> list[tuple[str, Solution]]:
    """Mutants of a solution, each with what is wrong in it; always the same, and no two of them alike. ``others``: solutions
    of other tasks of the application; ``most``: at most so many, taken in turn from all kinds, 0 for all."""
    kinds = [list(_left_out(solution)), list(_changed(solution)), list(_added(solution, others))]
    found: dict[tuple[Step, ...], tuple[str, Solution]] = {}
    for turn in range(max(len(kind) for kind in kinds)):
        for kind in kinds:
            if turn < len(kind):
                what, steps = kind[turn]
                if steps and steps != solution.steps:
                    found.setdefault(steps, (what, solution.model_copy(update={"steps": steps})))
    chosen = list(found.values())
    return chosen[:most] if most else chosen


def _left_out(solution: Solution) -> Iterator[tuple[str, tuple[Step, ...]]]:
    for at in reversed(range(len(solution.steps))):
        yield f"without {_told(solution.steps, at)}", _with(solution.steps, at)


def _changed(solution: Solution) -> Iterator[tuple[str, tuple[Step, ...]]]:
    for at in reversed(range(len(solution.steps))):
        for what, other in _others(solution.steps[at]):
            yield f"{what} in {_told(solution.steps, at)}", _with(solution.steps, at, other)


def _others(step: Step) -> Iterator[tuple[str, Step]]:
    """An operation with one thing in it that is another."""
    what, *rest = step
    if what in ("type", "add", "enter"):
        yield "another text", (what, rest[0], _another(rest[1]))
    elif what == "set":
        yield "another number", (what, rest[0], f"{float(rest[1]) + 1:g}")
    elif what == "select":
        yield "another option", (f"{what}{NEXT}", *rest)
    if what in ("click", "type", "enter"):
        yield "the next of its kind", (f"{what}{NEXT}", *rest)


def _another(text: str) -> str:
    at = next((number for number, character in enumerate(text) if character.isalnum()), None)
    if at is None:
        return f"{text}x"
    return f"{text[:at]}{'z' if text[at] != 'z' else 'q'}{text[at + 1 :]}"


def _added(solution: Solution, others: Sequence[Solution]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    yield "done twice", (*solution.steps, *solution.steps)
    for other in others:
        yield "what another task wants besides", (*solution.steps, *other.steps)


def _with(steps: tuple[Step, ...], at: int, *instead: Step) -> tuple[Step, ...]:
    return (*steps[:at], *instead, *steps[at + 1 :])


def _told(steps: tuple[Step, ...], at: int) -> str:
    return f"step {at + 1} ({' '.join(steps[at])[:60]})"
