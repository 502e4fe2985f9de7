"""Explains a run to somebody who has never seen one: what must hold, what is done, what the proof says."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract, Proof
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import UNCONFIRMED
from deskcrew.ways_in.report.operations import in_words
from deskcrew.ways_in.report.text import clean, one_line

WIDTH = 200
CLAIM = "That proves nothing: now programs look at the files and the screen, and at spoiled copies of them."
READ, SHORTLY = 4.0, 1.5
"""Seconds to read what matters most, and other texts of several lines."""


class Story:
    """Returns the lines for each event: none for technical ones. ``pause``: waits, to give time to read; ``meanwhile``:
    returns what else is going on, in words; ``asked``: whether a question shows how the task was understood; ``stands``:
    what to print if the run stops after a rejection, '' for its own reason."""

    def __init__(
        self, pause: Callable[[float], None], meanwhile: Callable[[], str] = str, *, asked: bool = False, stands: str = ""
    ) -> None:
        self._pause, self._meanwhile, self._asked, self._stands = pause, meanwhile, asked, stands
        self._agreed = False
        self._wrong: tuple[str, ...] = ()

    def __call__(self, event: e.Event, look: Observation | None) -> list[RenderableType]:
        match event.body:
            case e.GoalSet(contract=Contract() as contract) if not self._agreed:
                self._agreed = True
                return self._must_hold(contract)
            case e.PlanPatched() if self._wrong:
                return [_step("Repair: ", clean("; ".join(self._wrong)))]
            case e.OperationProposed(operation=operation):
                return [Padding(Text.assemble(("→ ", "cyan"), in_words(operation, look)), (0, 0, 0, 2))]
            case e.ActionFinished(ok=False, error=error):
                return [Padding(Text(f"✗ {one_line(error, WIDTH)}", style="yellow"), (0, 0, 0, 4))]
            case e.Judged(scope="subtask", verdict=verdict) if verdict.kind == "accept":
                return [_step("The agent says that it is done. ", CLAIM), *self._besides()]
            case e.Proved(proofs=(_, *_)) as body:
                return self._proof(body)
            case e.Understood(by="") as read if not self._asked:
                return [_step("\nUnderstood as: ", clean(read.told))]
            case e.Understood(by="request"):
                return [_step("Confirmed ", "in advance (--yes).")]
            case e.Judged(verdict=verdict) if verdict.kind == "stop" and verdict.reason != UNCONFIRMED:
                why = self._stands if self._wrong and self._stands else one_line(verdict.why, 400)
                return [Text(f"It stops: {why}", style="yellow")]
            case _:
                return []

    def _must_hold(self, contract: Contract) -> list[RenderableType]:
        self._pause(SHORTLY)
        wanted = (Text(f"  {each.id}. {clean(each.says)}") for each in contract.standing)
        return [
            Text("\nWhat must hold in the end, written down before anything is done:", style="bold"),
            *wanted,
            *self._besides(),
            Text(),
        ]

    def _besides(self) -> list[RenderableType]:
        told = self._meanwhile()
        return [Text(f"  (meanwhile: {told})", style="dim")] if told else []

    def _proof(self, body: e.Proved) -> list[RenderableType]:
        if not body.failing:
            held = (Text.assemble(("  ✓ ", "green"), clean(proof.says)) for proof in body.proofs if proof.proven)
            return [*held]
        self._wrong = tuple(proof.says for proof in body.failing)
        self._pause(READ)
        lines = Group(*(_seen(proof) for proof in body.failing))
        right = sum(proof.proven for proof in body.proofs)
        told = f"the claim is rejected: {right} of {len(body.proofs)} hold"
        return [Panel(lines, title=told, title_align="left", border_style="red", padding=(0, 1))]


def _seen(proof: Proof) -> Text:
    return Text.assemble(
        ("✗ ", "bold red"), clean(proof.says), ("\n  Found: ", "bold"), f"{clean(proof.found).removesuffix('.')}."
    )


def _step(who: str, what: str) -> Text:
    return Text.assemble((who, "bold"), what)
