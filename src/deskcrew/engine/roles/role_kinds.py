"""The kinds of roles: the attribute of a crew that names a role of each kind, what it may read, and what its reply contains
(C14, C15).

Models fill in fields in their order here, so decisions come after what they are based on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from deskcrew.actions.params import IN_A_FENCE
from deskcrew.engine.roles import descriptions
from deskcrew.engine.roles.said import LONG, Criticism, Fit, OnAppeal, OnWhole, ReadText, Reviewed
from deskcrew.facts.contract import SeenBy, TypedKind
from deskcrew.facts.events import RoleKind
from deskcrew.facts.verdict import Branch
from deskcrew.learning.skills.course import AT_ONCE, NAME

Fields = dict[str, Any]
KindName = Literal[
    "contract",
    "consent",
    "match",
    "plan",
    "schedule",
    "decision",
    "review",
    "check",
    "answer",
    "verify",
    "read",
    "make",
    "criticize",
    "refine",
    "teach",
    "draft",
    "describe",
    "compare",
    "trace",
    "choose",
]


class Switches(Protocol):
    """The crew's settings that a reply's type depends on."""

    @property
    def pool(self) -> tuple[str, ...]: ...
    @property
    def planner(self) -> str: ...
    @property
    def planner_assigns(self) -> bool: ...
    @property
    def batch(self) -> int: ...
    @property
    def details(self) -> tuple[str, ...]: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    @property
    def scores(self) -> bool: ...
    @property
    def replan(self) -> str: ...
    @property
    def insights(self) -> bool: ...
    @property
    def consents(self) -> bool: ...
    @property
    def delegates(self) -> bool: ...


class AskedRole(Protocol):
    """The role's settings that a reply's type depends on."""

    @property
    def fields(self) -> Sequence[str]: ...
    @property
    def batch(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Now:
    """What exists now, and what the reply is about: a reply can name nothing else. ``human``: a person can be asked."""

    operations: Sequence[type[BaseModel]] = ()
    batch: int = 1
    """Maximum number of operations in one decision."""
    subtasks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    human: bool = False
    agreed: bool = False
    """A contract says what the user wants to be told, so a planner need not."""
    open: tuple[str, ...] = ()
    """Ids of the plan's unfinished subtasks, which a planner may change."""
    needed: tuple[str, ...] = ()
    """Ids of subtasks that a planned or delegated subtask may need. (): an agent may not delegate."""
    contestable: tuple[str, ...] = ()
    """Ids of the contract's requirements that may be contested: those that were checked and did not hold."""
    objectable: tuple[str, ...] = ()
    """Ids of requirements of which a role may say that they contradict one of the ``citable`` files."""
    citable: tuple[str, ...] = ()
    """Text files of the workspace that the task names, or that the run has made or changed."""
    named: tuple[str, ...] = ()
    """Text files of the workspace that the task names."""
    parts: tuple[int, ...] = ()
    """Numbers of the parts of the task, for a contract's writer."""
    failed: bool = False
    """An operation failed, so that its subtask cannot be accepted."""
    appeal: bool = False
    """Another plan is requested: the planner decides on the request."""
    collation: bool = False
    """All subtasks are done: the planner says whether the task is done, too."""
    searching: bool = False
    """Nothing is planned yet: the planner says what it would look up on the web."""
    looking: bool = False
    """Nothing is planned yet: an agent describes the screen."""
    contested: bool = False
    """A requirement of the contract is contested: its writer says whether to keep it."""
    texts_read: int = 0
    """The number of texts to judge."""
    attempts: tuple[str, ...] = ()
    """The names of the attempts that are compared."""
    replies: tuple[str, ...] = ()
    """The numbers of the replies to which the run can go back."""
    actions: tuple[str, ...] = ()
    """Names of the actions that a drafted agent may have."""
    skills: tuple[str, ...] = ()
    """Names of the skills from which one is chosen."""
    values: type[BaseModel] | None = None
    """The parameters of a chosen skill that are to be filled in, as a type."""
    recorded: bool = False
    """A skill is made from a run: the reply says with which values its function would do what that run did."""

    @property
    def usual(self) -> Now:
        """What exists now, without the special circumstances (such as a change of plan instead of a first plan) for which
        the role's file gives no example."""
        special = {
            "open": (),
            "contestable": (),
            "objectable": (),
            "citable": (),
            "named": (),
            "appeal": False,
            "collation": False,
            "contested": False,
        }
        return replace(self, **special, looking=False, searching=False)


class Reply(BaseModel):
    """Base of the reply types, which are made per call."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def text(length: int) -> Any:
    return Annotated[str, Field(max_length=length)]


def note(length: int) -> Any:
    """Text that only its writer reads: more than ``length`` characters are cut, and do not make the reply invalid."""
    return Annotated[text(length), BeforeValidator(lambda said: said[:length] if isinstance(said, str) else said)]


def one_of(values: Sequence[str]) -> Any:
    """A Literal of ``values``; short free text if there are none."""
    return Literal[tuple(values)] if values else text(80)


def _branch(now: Now, *members: Branch) -> Any:
    allowed = (Branch.CONTINUE, *members, Branch.INTERRUPT, *((Branch.NEED_HUMAN_HELP,) if now.human else ()))
    return Literal[tuple(str(b) for b in allowed)]


def _signals(now: Now, full: bool, *members: Branch) -> Fields:
    """The last of C14's fields, with which a reply says what should follow."""
    fields: Fields = {"branch": (_branch(now, *members), str(Branch.CONTINUE)), "problem": (text(300), "")}
    if full:
        fields |= {"message": (text(300), ""), "summary": (text(400), "")}
    return fields


GOAL = 1000
"""Maximum length of a subtask's goal, in characters: a planner may give a whole task to one agent."""
MOST = 8
"""Maximum number of subtasks that a planner may give at once."""
END = "end"
"""The place where a planner inserts what is to be done last."""


def fields_of(said: type[BaseModel], **narrowed: Any) -> Fields:
    """The fields of the class as which a step reads the reply, some of them with a type ``narrowed`` to what exists."""
    return {name: (narrowed.get(name, info.annotation), info) for name, info in said.model_fields.items()}


def _subtask(crew: Switches, now: Now) -> Fields:
    """What a planner says about one subtask."""
    entry: Fields = {"goal": (text(GOAL), ...)}
    if "type" in crew.details:
        entry["type"] = (one_of([type for type, agent in crew.types.items() if agent in crew.pool]), ...)
    elif crew.planner_assigns:
        entry["role"] = (one_of(crew.pool), ...)
    if "expect" in crew.details:
        entry["expect"] = (text(400), ...)
    if "needs" in crew.details:
        entry["needs"] = (Annotated[list[one_of(now.needed)], Field(max_length=MOST)], ...)
    return entry


def _changes(entry: Fields, now: Now) -> Fields:
    """What a planner changes in a plan that is being carried out."""
    open = one_of(now.open)
    inserted = create_model("InsertedSubtask", __base__=Reply, before=(one_of((*now.open, END)), ...), **entry)
    revised = create_model("RevisedSubtask", __base__=Reply, subtask=(open, ...), **entry)
    return {
        "insert": (Annotated[list[inserted], Field(max_length=MOST)], []),
        "revise": (Annotated[list[revised], Field(max_length=MOST)], []),
        "drop": (Annotated[list[open], Field(max_length=max(1, len(now.open)))], []),
    }


def _plan(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    if now.searching:
        return {"search": (text(120), Field("", description="what to look up on the web before you plan; '': nothing"))}
    if now.appeal:
        return fields_of(OnAppeal) if now.human else fields_of(OnAppeal, verdict=Literal["revise", "overrule"])
    if now.collation:
        return fields_of(OnWhole)
    entry = _subtask(crew, now)
    if crew.replan == "patch" and now.open:
        return _changes(entry, now) | (_signals(now, full) if full else {})
    subtask = create_model("PlannedSubtask", __base__=Reply, **entry)
    least = 0 if now.contestable else 1  # everything that is left may be contested
    fields: Fields = {"subtasks": (Annotated[list[subtask], Field(min_length=least, max_length=MOST)], ...)}
    fields |= _contests(now)
    if now.agreed:
        return fields | (_signals(now, full) if full else {})
    fields["question"] = (text(200), "")
    return fields | (_signals(now, full) if full else {})


# Texts and lists are unbounded here, because the whole reply is bounded, and the schema is sent with each call. For the
# same reason these types have no docstrings, which the schema would include.


class PlannedCheck(Reply):
    kind: TypedKind
    target: str
    text: str = ""


class PlannedRequirement(Reply):
    parts: Annotated[list[int], Field(min_length=1)]
    says: Annotated[str, Field(min_length=1)]
    seen_by: SeenBy
    files: list[str] = []
    checks: list[PlannedCheck] = []
    stays: bool = False


class Ordered(Reply):
    quotes: Annotated[list[str], Field(min_length=1)]
    kind: Literal["send", "withdraw", "remove", "replace"]
    where: str
    texts: list[str] = []
    files: list[str] = []
    when: str = ""


class PlannedConsent(Reply):
    parts: Annotated[list[int], Field(min_length=1)]
    kind: Literal["send", "remove"]
    where: str
    texts: list[str] = []
    files: list[str] = []


def _contract(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    if now.contested:
        return {"why": (text(400), ...), "requirement": (PlannedRequirement | None, ...)}
    fields: Fields = {
        "requirements": (Annotated[list[PlannedRequirement], Field(min_length=1)], ...),
        "context": (list[int], []),
        "question": (str, ""),
    }
    if now.named:
        fields["orders"] = (Annotated[int, Field(ge=0)], 0)
    return fields if crew.consents else fields | {"ordered": (list[PlannedConsent], [])}


def _consent(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"ordered": (list[Ordered], ...)}


def _verify(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"code": (Annotated[str, IN_A_FENCE, Field(max_length=20_000)], ...)} | _objection(now)


def _read(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    many = Field(min_length=now.texts_read, max_length=max(1, now.texts_read))
    return {"texts": (Annotated[list[ReadText], many], ...), "why": (text(400), "")}


class OtherValue(Reply):
    """Another value for one that a lesson's task holds."""

    value: Annotated[str, Field(min_length=1, max_length=200)]
    other: Annotated[str, Field(min_length=1, max_length=200)]


def _teach(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    file = one_of(now.files)
    fields: Fields = {
        "name": (Annotated[str, Field(pattern=f"^{NAME}$", max_length=60)], ...),
        "task": (Annotated[str, Field(min_length=1, max_length=600)], ...),
        "files": (Annotated[list[file], Field(max_length=6)], []),
        "others": (Annotated[list[OtherValue], Field(max_length=6)], []),
    }
    lesson = create_model("ProposedLesson", __base__=Reply, **fields)
    return {"lessons": (Annotated[list[lesson], Field(min_length=1, max_length=AT_ONCE)], ...)}


def _draft(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    many = Field(min_length=1, max_length=max(1, len(now.actions)))
    return {
        "skills": (Annotated[str, Field(min_length=1, max_length=200)], ...),
        "guidance": (Annotated[list[text(200)], Field(min_length=1, max_length=8)], ...),
        "actions": (Annotated[list[one_of(now.actions)], many], ...),
        "task": (Annotated[str, Field(min_length=1, max_length=600)], ...),
        "files": (Annotated[list[MadeFile], Field(max_length=4)], []),
        "opens": (text(200), Field("", description="which of the files the program has open at first; '': none")),
    }


def _describe(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"why": (note(400), ""), "skills": (Annotated[str, Field(min_length=1, max_length=descriptions.LONGEST)], ...)}


def _schedule(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    assignment = create_model(
        "Assignment", __base__=Reply, subtask=(one_of(now.subtasks), ...), role=(one_of(crew.pool), ...)
    )
    longest = max(1, len(now.subtasks))
    fields: Fields = {"assignments": (Annotated[list[assignment], Field(max_length=longest)], ...)}
    return fields | _signals(now, full, Branch.REMAKE_SUBTASKS)


def _decision(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    if now.looking:
        return {"observation": (text(LONG), ...)}
    fields: Fields = {}
    if full:
        if "observation" in role.fields:
            fields["observation"] = (note(400), "")
        if "analyze" in role.fields:
            fields["analyze"] = (note(400), "")
        fields["thought_process"] = (Annotated[list[note(200)], Field(max_length=5)], [])
        fields["local_plan"] = (Annotated[list[text(200)], Field(max_length=8)], [])
    fields["intention"] = (text(200), "")
    if now.operations:
        kinds: Any = now.operations[0]
        if len(now.operations) > 1:
            kinds = Annotated[_union(now.operations), Field(discriminator="function")]
        fields["operations"] = (Annotated[list[kinds], Field(max_length=min(now.batch, role.batch))], ...)
    if crew.delegates and "delegate" in role.fields and now.needed:
        needs: Any = Annotated[list[one_of(now.needed)], Field(max_length=MOST)]
        entry: Fields = {"goal": (text(GOAL), ...), "role": (one_of(crew.pool), ...), "needs": (needs, [])}
        part = create_model("Part", __base__=Reply, **entry)
        fields["delegate"] = (Annotated[list[part], Field(max_length=MOST)], [])
    fields["information"] = (text(LONG), "")
    if "answer" in role.fields:
        fields["answer"] = (text(LONG), "")
    fields |= _objection(now) | _contests(now)
    others = (Branch.TASK_MISMATCH,) if crew.planner or len(crew.pool) > 1 else ()  # who else could do it, or plan it anew
    return fields | _signals(now, full, Branch.ROLE_TASK_FINISH, *others, Branch.UNANSWERABLE)


def _contests(now: Now) -> Fields:
    """The field in which a role contests requirements that failed."""
    if not now.contestable:
        return {}
    contest = create_model("Contest", __base__=Reply, requirement=(one_of(now.contestable), ...), why=(text(300), ...))
    return {"contests": (Annotated[list[contest], Field(max_length=len(now.contestable))], [])}


OBJECTION = "If a requirement contradicts one of these files: go by the file, and say so here."


def _objection(now: Now) -> Fields:
    """The field in which a role says that a requirement contradicts a file."""
    if not now.objectable or not now.citable:
        return {}
    kind = create_model(
        "Objection", __base__=Reply, requirement=(one_of(now.objectable), ...), file=(one_of(now.citable), ...),
        why=(text(300), ...),
    )  # fmt: skip
    return {"objection": (kind | None, Field(None, description=OBJECTION))}


def _check(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    accepting = () if now.failed else ("accept", "adjust") if crew.insights and now.open else ("accept",)
    seen: Fields = {"observation": (text(LONG), ...)} if "observation" in role.fields else {}
    planned = ("replan",) if crew.planner else ()
    said: Fields = {"why": (text(400), ...), "verdict": (one_of((*accepting, "repair", *planned)), ...)}
    score: Fields = {"score": (Annotated[int | None, Field(ge=0, le=10)], None)} if crew.scores else {}
    return seen | said | score


def _answer(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    source = one_of(now.facts)
    return {
        "answer": (text(LONG), ...),
        "sources": (Annotated[list[source], Field(max_length=5)], ...),
        "branch": (
            Literal["Continue", "NeedHumanHelp", "Unanswerable"] if now.human else Literal["Continue", "Unanswerable"],
            ...,
        ),
        "problem": (text(200), ""),
    }


def _compare(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"why": (text(800), ...), "attempt": (one_of(now.attempts), ...)}


NO_REPLY = "none"
"""The reply of a role that finds no reply to take back."""


def _trace(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"why": (text(400), ...), "reply": (one_of((*now.replies, NO_REPLY)), ...), "guidance": (text(600), "")}


NO_SKILL = "none_of_these"
"""What a role that chooses a skill replies if none fits; no action is called so."""


def _choose(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    if now.skills:
        return {"skill": (one_of(now.skills), ...)}
    if now.values is not None:
        return fields_of(now.values)
    return {"asked": (text(200), ...), "same": (bool, ...)}


class FileCheck(Reply):
    """A typed check that a made skill's example, or every call of it, must meet: of files, since there is no screen."""

    kind: Annotated[
        Literal["file_exists", "file_absent", "file_is", "file_contains", "file_lacks", "same_as", "value_is", "names_are"],
        Field(description="what is looked at"),
    ]
    target: Annotated[str, Field(max_length=300, description="path, pattern or PATH#ADDRESS")]
    text: Annotated[str, Field(max_length=4000)] = ""


class MadeValue(Reply):
    """A parameter's value, written as text."""

    name: Annotated[str, Field(max_length=40)]
    value: Annotated[str, Field(max_length=2000)]


class MadeFile(Reply):
    """A file that an example begins with."""

    path: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=8000)] = ""


class MadeExample(Reply):
    """An example of a made skill."""

    values: Annotated[list[MadeValue], Field(max_length=12)]
    files: Annotated[list[MadeFile], Field(max_length=8)]
    expects: Annotated[list[FileCheck], Field(max_length=8)]
    tells: Annotated[str, Field(max_length=2000)] = ""
    setup: Annotated[str, IN_A_FENCE, Field(max_length=8000)] = ""
    """Code that makes what is not text."""


def _make(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    fields: Fields = {
        "code": (Annotated[str, IN_A_FENCE, Field(min_length=1, max_length=20_000)], ...),
        "ensures": (Annotated[list[FileCheck], Field(max_length=8)], ...),
        "examples": (Annotated[list[MadeExample], Field(min_length=2, max_length=4)], ...),
    }
    return fields | ({"recorded": (Annotated[list[MadeValue], Field(max_length=12)], ...)} if now.recorded else {})


def _refine(role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
    return {"why": (text(600), ...), **_make(role, crew, now, full)}


def _union(types: Sequence[type[BaseModel]]) -> Any:
    union: Any = types[0]
    for kind in types[1:]:
        union = union | kind
    return union


CONSENTING: tuple[KindName, ...] = ("consent", "match")
"""Kinds of roles that say what the user consents to. Crews of earlier versions may lack them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of roles. ``named_by``: the attribute of a crew that names its roles; ``doing``: what such a role is doing
    while its reply is awaited, as a person is told; ``reads``: the keys that it may be shown (MMAC's protocol, M7, C17);
    ``reply``: the class of its replies, or what makes their fields, the last argument being whether all of C14's are wanted;
    ``presence``: whether a crew always has it, may leave it out, or uses it only outside of a task or after it (``apart``);
    ``switch``: the effect of switching a run to such a role, ``other`` if impossible; ``sees_files``: what part of the
    characters that its model reads at once may be contents of files, 0 if it is shown only their names; ``proves``: whether
    it judges requirements for which typed checks do not suffice."""

    named_by: str
    doing: str
    reads: str
    reply: type[BaseModel] | Callable[[AskedRole, Switches, Now, bool], Fields]
    presence: Literal["always", "optional", "apart"] = "optional"
    switch: RoleKind = "other"
    sees_files: float = 0
    proves: bool = False

    def fields(self, role: AskedRole, crew: Switches, now: Now, full: bool) -> Fields:
        return fields_of(self.reply) if isinstance(self.reply, type) else self.reply(role, crew, now, full)


KINDS: Mapping[KindName, Kind] = {
    "contract": Kind(
        "contract",
        "writing down what must hold in the end",
        "task declared earlier parts addresses given named objected contested files applications target_window malformed "
        "guidance",
        _contract,
        "always",
        sees_files=0.25,
    ),
    "consent": Kind("consent", "reading what your words order", "words given malformed", _consent, "always"),
    "match": Kind("matcher", "comparing an action with what you ordered", "words orders deed malformed", Fit, "always"),
    "plan": Kind(
        "planner",
        "planning",
        "task earlier question contract contestable capabilities plan problem appeal collation searching knowledge "
        "files applications windows observation libraries system history recalled information reported malformed guidance",
        _plan,
        switch="plan",
    ),
    "schedule": Kind(
        "scheduler",
        "deciding who does what",
        "task question capabilities plan problem history recalled malformed guidance",
        _schedule,
        switch="schedule",
    ),
    "decision": Kind(
        "pool",
        "deciding what to do next",
        "task earlier question contract capabilities files assignment expected work message judgement history observation "
        "applications target_window libraries secrets results file_content found reported recalled malformed guidance "
        "left contestable system",
        _decision,
        switch="decision",
        sees_files=1,
    ),
    "review": Kind(
        "reviewer",
        "looking at what was done",
        "task question assignment intention operation result before evidence observation history recalled "
        "malformed guidance",
        Reviewed,
    ),
    "check": Kind(
        "checker",
        "checking what was done",
        "task question assignment expected work plan before evidence files observation target_window results judgement "
        "history recalled reported malformed guidance",
        _check,
        sees_files=1,
    ),
    "answer": Kind(
        "answerer",
        "wording the answer",
        "task earlier question file_content information malformed guidance",
        _answer,
        "always",
    ),
    "verify": Kind(
        "verifier",
        "writing programs that check the result",
        "contract declared changes screen libraries code problem malformed",
        _verify,
        "always",
        proves=True,
    ),
    "read": Kind(
        "reader",
        "judging whether the result is right",
        "task requirement source texts malformed",
        _read,
        "always",
        proves=True,
    ),
    "make": Kind("maker", "writing a skill", "task recorded addresses libraries malformed", _make, "apart"),
    "criticize": Kind("critic", "judging a skill", "task skill trial malformed", Criticism, "apart"),
    "refine": Kind(
        "refiner", "improving a skill", "task recorded addresses libraries skill trial malformed", _refine, "apart"
    ),
    "teach": Kind("teacher", "thinking of lessons", "subject material files taken malformed", _teach, "apart", sees_files=1),
    "draft": Kind("drafter", "drafting an agent", "subject material choices malformed", _draft, "apart"),
    "describe": Kind(
        "describer", "describing what an agent can do", "subject material choices malformed", _describe, "apart"
    ),
    "compare": Kind("comparer", "comparing the attempts", "task attempts malformed", _compare, "apart"),
    "trace": Kind("backtracker", "looking for where it went wrong", "task contract problem trail malformed", _trace),
    "choose": Kind("chooser", "choosing a skill for the task", "task guidance skills skill taught files malformed", _choose),
}
"""The kinds of roles by name. A new kind, that is another question to a role, needs:

- its name in :data:`KindName`, and a line here;
- in ``said.py`` the class as which the step reads the reply, which the line names; where fields depend on what exists, the
  line names a function that makes them; the class then has the same names, and a default where a reply may lack one;
- the attribute ``named_by``: a field of ``CrewHead`` if crews may choose the role or leave it out, else a constant of
  ``Crew``; what measurements leave out also needs a name in ``Switch``, its change in ``_CHANGES`` (both in ``crew.py``) and
  an option in ``ways_in/cli/ablations.py``;
- a role file, and a step that calls :meth:`Asker.ask`.

Ask before an operation is proposed: one that is proposed again after the question counts as the same again. In ``execute``
and ``judge`` commit the journal before you ask, since the loop commits only before steps in which it waits."""
