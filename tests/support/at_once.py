"""A run, written by hand, whose two parts are worked on at once by the same role."""

from __future__ import annotations

from deskcrew.facts import events as e
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.journal.journal import Journal

GOALS = {"1": "Write one.txt", "2": "Write two.txt"}
WHO = "FileManager"


def writing(part: str) -> e.Operation:
    return e.Operation(function="write_file", params={"file_path": f"{GOALS[part].split()[1]}", "text": part})


def two_at_once(journal: Journal) -> dict[str, int]:
    """Both parts are asked about, the second is replied to and done, and the first is waited for. Numbers of events."""
    parts = tuple(Subtask(id=id, goal=goal, role=WHO) for id, goal in GOALS.items())
    patch = PlanPatch(add=parts)
    journal.append(e.PlanPatched(by="Planner", patch=patch, plan=Plan().patched(patch)))
    numbers = {"opened": journal.append(e.LanesOpened(subtasks=("1", "2"))).number}
    calls: dict[str, e.Event] = {}
    for part in GOALS:
        journal.state.enter(part)
        prompt = e.PartRef(zone="volatile", kind="text", blob=journal.blob(f"prompt of part {part}"))
        calls[part] = journal.append(e.RoleCalled(role=WHO, subtask=part, parts=(prompt,)))
        numbers[f"called {part}"] = calls[part].number
    reply(journal, "2", calls["2"], numbers)
    journal.state.enter("1")
    journal.commit()
    return numbers


def reply(journal: Journal, part: str, call: e.Event, numbers: dict[str, int]) -> None:
    journal.state.enter(part)
    operation = writing(part)
    said = {"operations": [operation.model_dump(mode="json")], "branch": "Continue"}
    replied = e.RoleReplied(role=WHO, subtask=part, reply=said, raw=journal.blob(f"reply of part {part}"), model="m")
    numbers[f"replied {part}"] = journal.append(replied, cause=call).number
    numbers[f"proposed {part}"] = journal.append(e.OperationProposed(role=WHO, subtask=part, operation=operation)).number
    journal.append(e.OperationApproved(rule="r", risk="write"))
    journal.append(e.ActionStarted(role=WHO, subtask=part, operation=operation, effect="undoable"))
    journal.append(e.ActionFinished(role=WHO, subtask=part, operation=operation, ok=True, text="written"))
