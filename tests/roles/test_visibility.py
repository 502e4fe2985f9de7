"""No role sees what it does not read (C17, M7): a canary in every source, and every prompt searched for them."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.actions import builtin
from deskcrew.engine.roles import role_kinds as roles
from deskcrew.engine.roles.ask import actions_text
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.role import BUILTIN, PROTOCOL, Reported, Role, load_role, load_roles, parse_role
from deskcrew.engine.roles.view import Sight, view
from deskcrew.errors import ConfigError
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract, Requirement
from deskcrew.facts.messages import Message
from deskcrew.facts.plan import Plan, PlanPatch, chain
from deskcrew.facts.verdict import Verdict
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Turn
from deskcrew.models.client import Call, Profile, Text

ROLES = load_roles((BUILTIN,))
SOURCES: dict[str, set[str]] = {
    # canary: the keys through which it may be seen
    "TASK": {"task"},
    "EARLIER": {"earlier"},
    "QUESTION": {"question"},
    "CONTRACT": {"contract"},
    "CONTESTED": {"contested"},
    "CONTESTABLE": {"contestable"},
    "PARTS": {"parts"},
    "ADDRESSES": {"addresses"},
    "GIVEN": {"given"},
    "WORDS": {"words"},
    "ORDERS": {"orders"},
    "DEED": {"deed"},
    "NAMED": {"named"},
    "OBJECTED": {"objected"},
    "CHANGES": {"changes"},
    "CODE": {"code"},
    "SCREEN": {"screen"},
    "REQUIREMENT": {"requirement"},
    "SOURCE": {"source"},
    "TEXTS": {"texts"},
    "RECORDED": {"recorded"},
    "SKILL": {"skill"},
    "TO-CHOOSE": {"skills"},
    "TAUGHT": {"taught"},
    "TRIAL": {"trial"},
    "SUBJECT": {"subject"},
    "MATERIAL": {"material"},
    "TAKEN": {"taken"},
    "CHOICES": {"choices"},
    "SKILLS": {"capabilities"},
    "GOAL": {"plan", "assignment", "appeal"},
    "DONE-GOAL": {"plan", "results", "reported"},
    "PROBLEM": {"problem", "judgement"},
    "EXPECTED": {"plan", "expected"},
    "APPEAL": {"appeal"},
    "COLLATION": {"collation"},
    "SEARCHING": {"searching"},
    "KNOWLEDGE": {"knowledge"},
    "ATTEMPTS": {"attempts"},
    "TRAIL": {"trail"},
    "WORK": {"work", "history"},
    "REPORTED": {"reported"},
    "UNHEARD": set(),
    "MESSAGE": {"message"},
    "JUDGEMENT": {"judgement", "problem"},
    "PAST-INTENTION": {"history"},
    "INTENTION": {"intention"},
    "RESULT": {"result"},
    "BEFORE": {"before"},
    "OTHER-INTENTION": set(),
    "OTHER-REPLY": set(),
    "OUTPUT": {"results", "information"},
    "CONTENT": {"file_content", "information"},
    "WEB": {"found", "information"},
    "INFORMATION": {"information"},
    "OBSERVATION": {"observation"},
    "FILES": {"files"},
    "APPLICATIONS": {"applications"},
    "WINDOWS": {"windows"},
    "LIBRARIES": {"libraries"},
    "WINDOW": {"target_window"},
    "SECRETS": {"secrets"},
    "OPERATION": {"operation"},
    "EVIDENCE": {"evidence"},
    "MALFORMED": {"malformed"},
    "GUIDANCE": {"guidance"},
    "RECALLED": {"recalled"},
    "DECLARED": {"declared", "recalled"},
    "SYSTEM": {"system"},
    "LEFT": {"left"},
    "OTHER-RECALLED": set(),
    "NOT-ADDRESSED": set(),
}


def canary(name: str) -> str:
    return f"<{name}>"


def planned(role: str) -> Plan:
    """A plan with one subtask done, and one that is ``role``'s."""
    plan = Plan().patched(chain([canary("DONE-GOAL"), canary("GOAL")], roles=["Programmer", role])).done("1")
    expected = plan.subtask("2").model_copy(update={"expect": canary("EXPECTED")})
    return plan.patched(PlanPatch(edit=(expected,)))


def world(role: Role) -> tuple[RunState, Sight]:
    """A run in which every source holds its canary."""
    state = RunState(
        started=e.RunStarted(
            task=canary("TASK"),
            crew="c",
            model="m",
            mode="automatic",
            workspace="w",
            desktop="none",
            system=canary("SYSTEM"),
            earlier=(e.Earlier(run="before", task=canary("EARLIER")),),
        ),
        question=canary("QUESTION"),
        contract=Contract(requirements=(Requirement(id="1", says=canary("CONTRACT")),)),
        plan=planned(role.name),
        appeal=Verdict(kind="appeal", why=canary("APPEAL")),
        knowledge=e.KnowledgeFound(passages=(canary("KNOWLEDGE"),), sources=("https://a.example.org/",)),
        messages=(
            Message(sender="Somebody", receiver=role.name, kind="note", text=canary("MESSAGE")),
            Message(sender="Somebody", receiver=role.name, kind="judgement", text=canary("JUDGEMENT")),
            Message(sender="Somebody", receiver=role.kind, kind="refusal", text=canary("PROBLEM"), until="plan"),
            Message(sender="human", receiver="*", kind="guidance", text=canary("GUIDANCE"), until="end"),
            *(
                Message(sender="Somebody", receiver=other, kind=kind, text=canary("NOT-ADDRESSED"))
                for kind in ("note", "judgement", "refusal", "guidance")
                for other in ("Another", "another kind")
            ),
        ),
        malformed=canary("MALFORMED"),
        malformed_by=role.name,
    )
    state.turns = [
        Turn(number=1, role=role.name, subtask="2", reply={"intention": canary("PAST-INTENTION")}),
        Turn(number=1, role=role.name, subtask="2", reply={"operations": [], "information": canary("WORK")}),
        Turn(number=2, role="Somebody", subtask="2", reply={"intention": canary("OTHER-INTENTION")}),
        Turn(number=2, role="Somebody", subtask="1", reply={"observation": canary("REPORTED"), "answer": canary("UNHEARD")}),
    ]
    for whose, text in ((role.name, "RECALLED"), ("Somebody", "OTHER-RECALLED")):
        hit = e.Hit(entry="m1", digest="d", text=canary(text))
        for at in ("", "2"):
            facts = (e.Hit(entry="m2", digest="d", text=canary("DECLARED")),) if whose == role.name else ()
            state.recalled[whose, at] = e.Recalled(role=whose, subtask=at or None, situation="s", hits=(hit,), facts=facts)
    for number, (kind, subtask) in enumerate((("content", "1"), ("web", "1"), ("information", None), ("output", "1")), 3):
        text = canary(kind.upper())
        state.collected.append(Collected(str(number), number, "Somebody", subtask, kind, text))  # type: ignore[arg-type]
    told = ("intention", "operation", "result", "before", "evidence", "secrets")
    told = (*told, "windows", "libraries")
    proving = (
        "parts",
        "addresses",
        "given",
        "words",
        "orders",
        "deed",
        "named",
        "objected",
        "changes",
        "code",
        "screen",
        "requirement",
        "source",
        "texts",
        "contested",
        "contestable",
        "collation",
        "searching",
        "attempts",
        "trail",
        "left",
    )
    making = ("recorded", "skill", "taught", "trial", "subject", "material", "taken", "choices")
    extra = {key: canary(key.upper()) for key in (*told, *proving, *making)} | {"skills": canary("TO-CHOOSE")}
    sight = Sight(
        observation=lambda: canary("OBSERVATION"),
        files=lambda: canary("FILES"),
        applications=lambda: canary("APPLICATIONS"),
        target_window=lambda: canary("WINDOW"),
        extra=extra,
    )
    return state, sight


@functools.cache
def crew_of(name: str) -> Crew:
    crew = load_crew(name, (CREWS,), ROLES)
    agents = {agent.name: agent.model_copy(update={"skills": canary("SKILLS")}) for agent in crew.agents}
    return crew.model_copy(update={"roles": {**crew.roles, **agents}})


def prompt(role: Role, crew: Crew, profile: Profile) -> str:
    state, sight = world(role)
    shown = view(role, crew, state, sight, state.subtask)
    parts = render(role, shown, crew=crew, profile=profile, actions=actions_text(role, builtin()))
    assert all(isinstance(part, Text) for part in parts)
    return Call(role=role.name, parts=parts, max_tokens=1).text()


def hidden(role: Role, text: str) -> list[str]:
    """Canaries that stand in a prompt and should not."""
    return [name for name, keys in SOURCES.items() if canary(name) in text and not keys & set(role.reads)]


@pytest.mark.parametrize("crew", ["default", "planned", "cola", "solo", "coact", "friday", "mmac"])
@pytest.mark.parametrize("name", sorted(ROLES))
def test_builtin_roles_see_what_they_read_and_nothing_else(name: str, crew: str) -> None:
    role = ROLES[name]
    for free_text in ("short", "full"):
        text = prompt(role, crew_of(crew), Profile(name="p", free_text=free_text))
        assert hidden(role, text) == [], free_text
        assert "<" in text, "no canary at all: this test sees nothing"


def test_every_kind_that_a_role_file_may_name_is_there() -> None:
    assert tuple(roles.KINDS) == get_args(roles.KindName)


def test_every_key_has_a_canary() -> None:
    """The generated roles below read some keys at a time: one without a canary would be found only by chance."""
    assert sorted(set(PROTOCOL).difference(*SOURCES.values())) == []


KINDS = st.sampled_from(list(roles.KINDS))


@st.composite
def role_files(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A role file that shows all it reads, and the keys."""
    kind = draw(KINDS)
    allowed = sorted(key for key, kinds in PROTOCOL.items() if kind in kinds)
    reads = draw(st.lists(st.sampled_from(allowed), unique=True))
    used = "\n".join(f"{{{{ {key} }}}}" for key in reads)
    hears = "\nhears: {observation: [Somebody]}" if "reported" in reads else ""
    head = f"name: Mine\nkind: {kind}\nskills: s\nreads: [{', '.join(reads)}]{hears}"
    return f"---\n{head}\n---\n<!-- stable -->\nYou.\n<!-- volatile -->\n{used}\n", reads


@given(role_files(), st.sampled_from(["default", "planned", "cola", "solo", "coact", "friday", "mmac"]))
def test_any_role_sees_exactly_what_it_reads(made: tuple[str, list[str]], crew_name: str) -> None:
    text, reads = made
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.md"
        path.write_text(text)
        role = load_role(path)
    crew = crew_of(crew_name)
    shown = prompt(role, crew, Profile(name="p"))
    assert hidden(role, shown) == []
    for key in set(reads) - set(crew.without):
        assert any(canary(name) in shown for name, keys in SOURCES.items() if key in keys), f"{key} shows nothing"


REPORTING = ("TeamProgrammer", "Viewer", "Librarian", "VideoAnalyst", "Mentor", "Mine")
KEYS = get_args(Reported)


def heard(role: Role) -> dict[str, set[str]]:
    """Of each key, whose canary stands in a role's prompt when everybody has reported under every key."""
    state, sight = world(role)
    replies = ((author, {key: canary(f"{key} of {author}") for key in KEYS}) for author in REPORTING)
    state.turns = [Turn(number=1, role=author, subtask="1", reply=reply) for author, reply in replies]
    shown = view(role, crew_of("mmac"), state, sight, state.subtask)["reported"] if role.hears else ""
    return {key: {author for author in REPORTING if canary(f"{key} of {author}") in shown} for key in KEYS}


def test_what_was_seen_is_told_to_its_author_and_the_planner() -> None:
    """M7's example: `observation` is reported by Mentor and Viewer alone, and read by them and the planner alone."""
    crew = load_crew("mmac", (CREWS,), ROLES)
    named = [crew.roles[name] for name in (crew.planner, crew.checker, *crew.pool)]
    assert {role.name for role in named if "observation" in role.fields} == {"Viewer", "Mentor"}
    told = {role.name: heard(role)["observation"] for role in named if heard(role)["observation"]}
    assert told == {"TeamPlanner": {"Viewer", "Mentor"}, "Viewer": {"Viewer"}}
    assert crew.hearers("Mentor") == {"observation": ("TeamPlanner",)}
    assert crew.hearers("Librarian") == {}
    # Its own is in what a mentor is told of its judgements before.
    mentor = ROLES["Mentor"]
    state, sight = world(mentor)
    state.turns = [Turn(number=1, role="Mentor", subtask="2", reply={"observation": canary("OWN"), "verdict": "repair"})]
    assert canary("OWN") in view(mentor, crew, state, sight, state.subtask)["history"]


@given(st.dictionaries(st.sampled_from(KEYS), st.lists(st.sampled_from((*REPORTING, "*")), min_size=1), min_size=1))
def test_any_role_hears_of_each_key_from_whom_its_file_says(hears: dict[str, list[str]]) -> None:
    head = f"name: Mine\nkind: decision\nskills: s\nreads: [reported]\nhears: {json.dumps(hears)}"
    role = parse_role(f"---\n{head}\n---\n<!-- stable -->\n{{{{ reported }}}}\n", Path("mine.md"))
    others = {"*": set(REPORTING) - {"Mine"}}
    expected = {key: {each for name in hears.get(key, ()) for each in others.get(name, {name})} for key in KEYS}
    assert heard(role) == expected


def test_what_is_heard_is_shown_and_nothing_is_shown_that_is_not_heard() -> None:
    for line in ("reads: [reported]", "hears: {observation: [Viewer]}"):
        with pytest.raises(ConfigError, match="field 'hears'"):
            parse_role(f"---\nname: Mine\nkind: plan\n{line}\n---\n<!-- stable -->\nYou.\n", Path("mine.md"))


def test_in_cola_an_agent_is_told_what_the_last_operations_returned_and_not_what_others_say_they_found_out() -> None:
    role, crew = ROLES["Operator"], crew_of("cola")
    state, sight = world(role)
    state.collected = [
        Collected("1", 1, "Somebody", "1", "output", canary("RETURNED")),
        Collected("2", 2, "Somebody", "1", "information", canary("SAID")),
        Collected("3", 3, role.name, "2", "output", canary("OWN")),
    ]
    told = view(role, crew, state, sight, state.subtask)["results"]
    assert [name for name in ("RETURNED", "SAID", "OWN") if canary(name) in told] == ["RETURNED"]


@pytest.mark.parametrize("needs", [(), ("1",)])
def test_a_crew_can_limit_an_agent_to_what_its_part_needs(needs: tuple[str, ...]) -> None:
    role, crew = ROLES["ToolGenerator"], crew_of("friday")
    state, sight = world(role)
    state.plan = Plan(
        subtasks=tuple(s.model_copy(update={"needs": needs if s.id == "2" else ()}) for s in state.plan.subtasks)
    )
    shown = "\n".join(view(role, crew, state, sight, state.subtask).values())
    for source in ("OUTPUT", "CONTENT", "WEB"):
        assert (canary(source) in shown) == bool(needs)


def test_nothing_that_is_not_read_is_even_looked_at() -> None:
    """Text of the environment is made only for those who read it."""

    def never() -> str:
        raise AssertionError("looked at")

    state, _ = world(ROLES["OrderMatcher"])
    extra = {"words": "", "orders": "", "deed": ""}
    sight = Sight(observation=never, files=never, applications=never, target_window=never, extra=extra)
    view(ROLES["OrderMatcher"], crew_of("planned"), state, sight, None)


def test_only_the_role_that_gave_a_malformed_reply_is_told_of_it() -> None:
    """Another may be asked in between: after a crash, or where a person switches."""
    planner, agent = ROLES["Planner"], ROLES["FileManager"]
    state, sight = world(planner)
    assert "MALFORMED" in view(planner, crew_of("planned"), state, sight, None)["malformed"]
    assert view(agent, crew_of("planned"), state, sight, None)["malformed"] == ""
