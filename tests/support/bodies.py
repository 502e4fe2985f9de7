"""Event bodies for tests: any at all (hypothesis), and those of one ordinary run."""

from __future__ import annotations

import types
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent, Proof
from deskcrew.facts.observation import Evidence, Frozen, Sent
from deskcrew.facts.plan import Plan, PlanPatch, chain
from deskcrew.facts.verdict import Check, CheckResult, Outcome, Verdict

BODY_TYPES: tuple[type[Frozen], ...] = get_args(get_args(e.Body)[0])

EXACT = 2**53 - 1
"""The largest integer that canonical JSON (RFC 8785) can say."""

_INTEGERS = st.integers(-EXACT, EXACT)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_JSON = st.recursive(
    st.none() | st.booleans() | _INTEGERS | _FLOATS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Anything that a field annotated so can hold."""
    origin, inner = get_origin(annotation), get_args(annotation)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        Any: _JSON,
        JsonValue: _JSON,
        str: st.text(max_size=8),
        int: _INTEGERS,
        float: _FLOATS,
        bool: st.booleans(),
        type(None): st.none(),
    }
    if annotation in simple:
        return simple[annotation]
    if origin is Annotated:
        return values(inner[0])
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*(values(choice) for choice in inner))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return st.lists(values(inner[0]), max_size=2).map(tuple)
        return st.tuples(*(values(each) for each in inner))
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return instances(annotation)
    if isinstance(annotation, type) and issubclass(annotation, tuple):  # with names
        return st.tuples(*map(values, get_type_hints(annotation).values())).map(lambda given: annotation(*given))
    raise TypeError(f"tests/support/bodies.py does not know how to make a {annotation!r}")


def instances(kind: type[BaseModel]) -> st.SearchStrategy[BaseModel]:
    """Any value of such a type, every field given."""
    fields = {name: values(field.annotation) for name, field in kind.model_fields.items() if not field.exclude}
    return st.fixed_dictionaries(fields).map(lambda given: kind(**given))


bodies: st.SearchStrategy[Any] = st.sampled_from(BODY_TYPES).flatmap(instances)


def started(task: str = "Say what 6 * 7 is") -> e.RunStarted:
    return e.RunStarted(task=task, crew="planned", model="scripted", mode="automatic", workspace="w", desktop="none")


def ordinary_run() -> list[Any]:
    """A run with a plan of two subtasks: one malformed reply, one denial, one repair, then done."""
    plan = Plan().patched(chain(["Read the table", "Write the sentence"], roles=["Programmer", "Operator"]))
    code = e.Operation(function="run_python_code", params={"code": "print(6 * 7)"})
    typing = e.Operation(function="keyboard_input", control="e1", params={"text": "It is 42."})
    look = e.Observed(observation="a" * 64, windows=("Mousepad",), controls=3)
    check = CheckResult(check=Check(kind="file_exists", target="out.txt"), holds=True)

    def decision(role: str, subtask: str, *operations: e.Operation, branch: str = "Continue") -> e.RoleReplied:
        listed = [operation.model_dump(mode="json") for operation in operations]
        reply = {"branch": branch, "operations": listed, "message": f"from {role}"}
        return e.RoleReplied(role=role, subtask=subtask, reply=reply, usage=e.Usage(input=100, output=10, cost=0.001))

    def judged(scope: Any, kind: Any, subtask: str = "1", why: str = "", **more: Any) -> e.Judged:
        return e.Judged(scope=scope, subtask=subtask, verdict=Verdict(kind=kind, why=why), by="rules", **more)

    done = {"role": "Programmer", "subtask": "1", "operation": code}
    written = {"role": "Operator", "subtask": "2", "operation": typing}
    return [
        e.RunStarted(
            task="Say what 6 * 7 is", crew="planned", model="scripted", mode="automatic", workspace="w", desktop="none"
        ),
        e.GoalSet(question="What is 6 * 7?", checks=(check.check,)),
        look,
        e.RoleCalled(role="Planner"),
        e.RoleReplied(role="Planner", reply={"subtasks": ["Read the table", "Write the sentence"]}),
        e.PlanPatched(by="Planner", patch=PlanPatch(add=plan.subtasks), plan=plan),
        e.RoleCalled(role="Programmer", subtask="1"),
        e.RoleReplied(role="Programmer", subtask="1", error="not JSON", raw="b" * 64),
        e.RoleCalled(role="Programmer", subtask="1", attempt=2),
        decision("Programmer", "1", code),
        e.OperationProposed(role="Programmer", subtask="1", operation=code),
        e.ConsentRead(consents=(Consent(kind="remove", where="*.tmp", quotes=("Delete all .tmp files",)),)),
        e.OperationDenied(rule="ask", risk="unknown", by="nobody", why="nobody is there to ask"),
        e.RoleCalled(role="Programmer", subtask="1"),
        decision("Programmer", "1", code),
        e.OperationProposed(role="Programmer", subtask="1", operation=code),
        e.OperationApproved(rule="sandboxed", risk="write"),
        e.ActionStarted(**done, effect="write"),
        e.CandidatesTried(tried=(e.Candidate(code="a" * 64, ok=True),), chosen=1, proven=False),
        e.ChangesFound(changes="e" * 64, paths=1, effect="allow", rule="writing-inside", risk="write"),
        e.SendsFound(sent=(Sent(method="POST", url="http://127.0.0.1/seat"),), effect="ask", rule="sending", risk="send"),
        e.ActionFinished(**done, ok=True, text="42", exit_code=0),
        e.Observed(observation="b" * 64, evidence=Evidence(exit_code=0)),
        judged("effect", "continue"),
        decision("Programmer", "1", branch="RoleTaskFinish"),
        judged("subtask", "repair", why="nothing was printed"),
        decision("Programmer", "1", branch="RoleTaskFinish"),
        judged("subtask", "accept"),
        e.HumanSaid(kind="guide", text="Use the editor", role="Operator"),
        decision("Operator", "2", typing),
        e.OperationProposed(role="Operator", subtask="2", operation=typing),
        e.OperationApproved(rule="virtual", risk="write", by="human"),
        e.ActionStarted(**written, effect="write"),
        e.ActionInterrupted(**written),
        e.RunInterrupted(error="KeyboardInterrupt"),
        e.Rewound(undo=True),
        e.RunResumed(applications=("Mousepad",)),
        e.Saved(manifest="c" * 64, files=3),
        e.FileRead(path="in.csv", text="d" * 64),
        e.PictureRead(path="in.png", picture="f" * 64),
        e.PointFound(
            words="the red ball",
            picture="a" * 64,
            model="http://127.0.0.1:8000/v1#ui-tars",
            found=e.Grounded(point=(3, 4), usage=e.Usage(input=0, output=0, cost=0.0)),
        ),
        e.KnowledgeFound(words="typing", hits="a" * 64, passages=("It is typed.",), sources=("https://a.example.org/",)),
        e.Recalled(
            role="Operator",
            subtask="2",
            situation="type the total",
            hits=(e.Hit(entry="a" * 12, digest="e" * 64, text="- Wanted: type the sum"),),
            records=(e.TrackRecord(role="Operator", proven=1, failed=0),),
        ),
        e.LimitRaised(budget="replies", limit=400),
        e.Understood(skill="add-up", values={"file": "a.csv"}, words="Add up a.csv.", by="human"),
        e.LanesOpened(subtasks=("2",)),
        look,
        judged("effect", "continue", "2"),
        e.OperationProposed(role="Operator", subtask="2", operation=typing),
        e.OperationSkipped(why="it stands there already"),
        judged("subtask", "accept", "2"),
        e.LookingAgain(pages=("http://127.0.0.1/list",)),
        e.LookedElsewhere(pages=(e.SeenElsewhere(address="http://127.0.0.1/all", observation="a" * 64, alone=True),)),
        e.Proved(proofs=(Proof(requirement="1", says="out.txt says it", holds=True, by="probe"),), states=4),
        judged("goal", "accept", checks=(check,)),
        e.FaultFound(wrong="it is not there", why="nothing shows where it began"),
        e.RunFinished(outcome=Outcome(status="done", answer="42", verified_by="rules", checks=(check,))),
        e.AttemptsShown(attempts=(2, 1), facts=("a" * 64, "b" * 64), model="scripted"),
        e.AttemptsCompared(choice=e.Choice(attempt=1, among=(1, 2), by="judge", why="Only it wrote the sentence")),
        e.Confirmed(holds=True, why="I added it up"),
        e.RunFinished(outcome=Outcome(status="done", answer="42", verified_by="human", checks=(check,))),
    ]
