"""Messages over a run's socket: one JSON object per line, typed; and the jobs that a run's process is given, with its
reports.

Nothing in here is state: the journal is. A run's process that is asked again says the same again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from deskcrew.events import HumanSaid
from deskcrew.human.questions import (
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    Mode,
    OperationQuestion,
    PlanEdit,
    ReplyQuestion,
)
from deskcrew.observation import Frozen
from deskcrew.request import RunRequest
from deskcrew.settings import Limits, Settings

LONGEST_LINE = 4 << 20
"""Bytes of one message: an edited reply may hold a program; what is longer is rubbish."""

AnyQuestion = Annotated[ReplyQuestion | OperationQuestion | HelpQuestion, Field(discriminator="type")]
AnySaid = Annotated[HumanSaid | PlanEdit, Field(discriminator="type")]
AnyResponse = Annotated[
    Accepted | Approval | EditedOperation | EditedReply | HumanSaid | PlanEdit, Field(discriminator="type")
]


# What a run's process says of itself.


class Pending(Frozen):
    """A question that waits for an answer. ``id`` is of this asking alone: asked again, it has another one. ``since``: Unix
    seconds."""

    id: str
    question: AnyQuestion
    since: float


class Note(Frozen):
    """A line that the run told the person: why something that was said cannot be. ``number`` grows by one."""

    number: int
    time: float
    text: str


class Screen(Frozen):
    """The run's virtual desktops, as a person can watch them live. ``why_not``: why they cannot be watched, '' where they
    can; ``desks``: their numbers, of which 1 is the run's own and others are lanes'."""

    width: int
    height: int
    why_not: str = ""
    desks: tuple[int, ...] = (1,)


class Alive(Frozen):
    """A run that a process is at. ``waiting``: words said that the run has not come to yet, oldest first. ``held``: by a
    person, who paused it or has taken over its desktop. ``screen`` None: it has no virtual desktop. ``stopping``: it was
    told to stop in order, and is doing so."""

    type: Literal["alive"] = "alive"
    run: str
    pid: int
    question: Pending | None = None
    waiting: tuple[AnySaid, ...] = ()
    held: Literal["pause", "take_over"] | None = None
    notes: tuple[Note, ...] = ()
    screen: Screen | None = None
    stopping: bool = False


class Told(Frozen):
    """What came of something that was said or answered: whether it was taken, and words for the person."""

    type: Literal["told"] = "told"
    ok: bool
    text: str = ""


# What a run's process is asked.


class AskAlive(Frozen):
    """Answered with one :class:`Alive`; ``follow``: and with another one whenever it would be another."""

    type: Literal["alive"] = "alive"
    follow: bool = False


class Say(Frozen):
    """Said unasked. Where a question is open it is what the person says to that."""

    type: Literal["say"] = "say"
    said: AnySaid


class Answer(Frozen):
    """The answer to the question of that id. Only the first one counts."""

    type: Literal["answer"] = "answer"
    question: str
    answer: AnyResponse


class Stop(Frozen):
    """End in order and at once, as Ctrl-C does: a model call or program that is going on is broken off."""

    type: Literal["stop"] = "stop"


class Connect(Frozen):
    """Watch a virtual desktop: after a :class:`Told` that is ok the connection speaks RFB (VNC), the server first.

    ``desk``: its number; ``hands``: with mouse and keyboard; refused unless a person has taken over, and cut off when they
    hand back.
    """

    type: Literal["connect"] = "connect"
    hands: bool = False
    desk: int = 1


Asked = Annotated[AskAlive | Say | Answer | Stop | Connect, Field(discriminator="type")]
Replied = Annotated[Alive | Told, Field(discriminator="type")]
ASKED: TypeAdapter[Asked] = TypeAdapter(Asked)
REPLIED: TypeAdapter[Replied] = TypeAdapter(Replied)


# What a process is started for.


class Changes(Frozen):
    """What is another when a run is continued; None: as the run began. A run continues the secrets it began with."""

    model: str | None = None
    mode: Mode = "automatic"
    modes: tuple[tuple[str, Mode], ...] = ()
    limits: Limits | None = None


class Place(Frozen):
    """Where a rewind goes back to: the last reply at or before ``event``, or the end of ``branch`` (its number or name), or
    with neither what the last rewind left. ``say`` and ``role`` belong to an event: what the role should know, and who is
    asked instead. ``keep_files``: the workspace stays as it is."""

    event: int | None = None
    branch: str | None = None
    say: str = ""
    role: str | None = None
    keep_files: bool = False


class Start(Frozen):
    """A new run. ``secrets``: names of those it may type; the request itself holds none, since no value is sent anywhere."""

    type: Literal["start"] = "start"
    request: RunRequest
    secrets: tuple[str, ...] = ()


class Resume(Frozen):
    """Continue a run."""

    type: Literal["resume"] = "resume"
    run: str
    changes: Changes = Changes()


class Rewind(Frozen):
    """Go back to an earlier reply of a run and on from there. Where the run has ended at that place it only goes back."""

    type: Literal["rewind"] = "rewind"
    run: str
    place: Place
    changes: Changes = Changes()


class Again(Frozen):
    """Do a recorded branch again on a live desktop, as a run of its own. ``branch`` None: the one that the run stands on;
    ``sets``, ``hand_over``: as of ``LiveRequest``; the request is made of the run's own."""

    type: Literal["again"] = "again"
    run: str
    branch: str | None = None
    sets: tuple[str, ...] = ()
    hand_over: bool = False
    mode: Mode = "automatic"


class Teach(Frozen):
    """A person shows how something is done (``workshop/teaching.py``)."""

    type: Literal["teach"] = "teach"
    request: RunRequest


class Try(Frozen):
    """Do a skill on other values. ``params``: as typed, ``name=value``; ``workspace`` None: a new folder."""

    type: Literal["try"] = "try"
    skill: str
    params: tuple[str, ...] = ()
    workspace: Path | None = None
    mode: Mode = "automatic"


Task = Annotated[Start | Resume | Rewind | Again | Teach | Try, Field(discriminator="type")]


class Job(Frozen):
    """All that a run's process is started with. ``patience``: seconds that a question waits for an answer, and a held run
    for its person; None: as long as the run may last. ``folder``: of sockets and logs; ``name``: what those of this process
    are called until the run has a name."""

    task: Task
    settings: Settings
    folder: Path
    name: str
    patience: float | None = None


# What it tells whoever started it, until the run has begun.


class Notice(Frozen):
    """What is being waited for."""

    type: Literal["notice"] = "notice"
    text: str


class Begun(Frozen):
    """The run is in the journal and goes on by itself. ``ended``: it only went back, nothing goes on."""

    type: Literal["begun"] = "begun"
    run: str
    ended: bool = False


class Failed(Frozen):
    """It could not begin. ``kind``: the name of an error of ``errors.py``."""

    type: Literal["failed"] = "failed"
    kind: str
    text: str
    hint: str = ""


Report = Annotated[Notice | Begun | Failed, Field(discriminator="type")]
REPORT: TypeAdapter[Report] = TypeAdapter(Report)
