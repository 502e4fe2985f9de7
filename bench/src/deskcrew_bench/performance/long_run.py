"""A run of any length as a crew leaves it, for measurements: in each turn a reply, an operation and what came of it."""

from __future__ import annotations

from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Evidence
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store

TURN = 8
"""Events of a turn."""
ROLES = ("FileManager", "Programmer", "Operator")
PARTS = 20
"""Parts of its plan."""


def grow(store: Store, run: str, events: int) -> None:
    """Write a run of that many events, at least 50, with that id. It has ended: a person stopped it."""
    task = "Write a line into each of the files of the archive, one after the other."
    begun = e.RunStarted(task=task, crew="default", model="measured", mode="automatic", workspace="w", desktop="none")
    journal = store.create(begun, run=run)
    plan = Plan(subtasks=tuple(Subtask(id=str(n + 1), goal=f"part {n + 1}", role=ROLES[n % 3]) for n in range(PARTS)))
    journal.append(e.PlanPatched(by="Planner", patch=PlanPatch(add=plan.subtasks), plan=plan))
    prompt, raw = journal.blob("What is next? " * 200), journal.blob('{"operations": []}')
    turns = (events - 3 - PARTS) // TURN
    each = max(1, turns // PARTS)
    for turn in range(turns):
        part = min(turn // each, PARTS - 1)
        _turn(journal, str(part + 1), ROLES[part % 3], turn, (prompt, raw))
        if (turn + 1) % each == 0 and part < PARTS - 1:
            verdict = Verdict(kind="accept", score=9)
            journal.append(e.Judged(scope="subtask", subtask=str(part + 1), verdict=verdict, by="rules"), lane=str(part + 1))
        if turn % 500 == 499:
            journal.commit()
    while len(journal.all) < events - 1:
        journal.append(e.HumanSaid(kind="guide", text="Go on."))
    journal.append(e.RunFinished(outcome=Outcome(status="stopped", why="You stopped it.")))
    journal.close()


def _turn(journal: Journal, part: str, role: str, turn: int, blobs: tuple[str, str]) -> None:
    """One decision: asked, replied, one operation allowed and done, looked at, judged."""
    prompt, raw = blobs
    path, line = f"archive/{turn % 400:03}/notes-{turn}.txt", f"Line {turn}: what was found out in this turn, in a sentence."
    operation = e.Operation(function="append_file", params={"file_path": path, "text": line})
    said: JsonObject = {"intention": f"Write line {turn}", "operations": [operation.model_dump(mode="json")]}
    asked = e.RoleCalled(
        role=role, subtask=part, parts=(e.PartRef(zone="volatile", kind="text", blob=prompt),), model="measured"
    )
    call = journal.append(asked, lane=part)
    usage = e.Usage(input=1800, output=60, cached=1500, cost=0.0)
    reply = e.RoleReplied(role=role, subtask=part, reply=said, raw=raw, usage=usage, model="measured", seconds=1.25)
    journal.append(reply, lane=part, cause=call)
    journal.append(e.OperationProposed(role=role, subtask=part, operation=operation, intention=f"Line {turn}"), lane=part)
    journal.append(e.OperationApproved(rule="writing-inside", risk="change"), lane=part)
    journal.append(e.ActionStarted(role=role, subtask=part, operation=operation, effect="write"), lane=part)
    done = e.ActionFinished(role=role, subtask=part, operation=operation, ok=True, text=f"Wrote {path}.", seconds=0.01)
    journal.append(done, lane=part)
    journal.append(e.Observed(observation=raw, evidence=Evidence(files_changed=(path,))), lane=part)
    journal.append(e.Judged(scope="effect", subtask=part, verdict=Verdict(kind="continue"), by="rules"), lane=part)
