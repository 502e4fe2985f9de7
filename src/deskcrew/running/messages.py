"""Messages over a run's socket: one JSON object per line, typed; and the jobs that a run's process is given, with its
reports.

None of this is state: the journal is. A run's process that is asked again answers the same.
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
"""The maximum bytes of one message: an edited reply may contain a program; anything longer is invalid."""

AnyQuestion = Annotated[ReplyQuestion | OperationQuestion | HelpQuestion, Field(discriminator="type")]
AnySaid = Annotated[HumanSaid | PlanEdit, Field(discriminator="type")]
AnyResponse = Annotated[
    Accepted | Approval | EditedOperation | EditedReply | HumanSaid | PlanEdit, Field(discriminator="type")
]


# What a run's process says of itself.


class Pending(Frozen):
    """A question that waits for an answer. ``id``: a new one each time it is asked. ``since``: Unix seconds."""

    id: str
    question: AnyQuestion
    since: float


class Note(Frozen):
    """A line that the run told the person: why what they said is not possible. ``number`` grows by one."""

    number: int
    time: float
    text: str


class Screen(Frozen):
    """The run's virtual desktops, as a person can watch them live. ``why_not``: why they cannot be watched, '' if they
    can; ``desks``: their numbers, of which 1 is the run's own and others are lanes'."""

    width: int
    height: int
    why_not: str = ""
    desks: tuple[int, ...] = (1,)


class Alive(Frozen):
    """A run that a process works on. ``waiting``: interventions that the run has not processed yet, oldest first.
    ``held``: by a person, who paused it or has taken over its desktop. ``screen`` None: it has no virtual desktop.
    ``stopping``: it was told to stop gracefully, and is doing so."""

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
    """The result of an intervention or answer: whether it was accepted, and words for the person."""

    type: Literal["told"] = "told"
    ok: bool
    text: str = ""


# What a run's process is asked.


class AskAlive(Frozen):
    """Answered with one :class:`Alive`; ``follow``: and with another whenever it changes."""

    type: Literal["alive"] = "alive"
    follow: bool = False


class Say(Frozen):
    """An intervention. If a question is open, it is the answer to that."""

    type: Literal["say"] = "say"
    said: AnySaid


class Answer(Frozen):
    """The answer to the question of that id. Only the first one counts."""

    type: Literal["answer"] = "answer"
    question: str
    answer: AnyResponse


class Stop(Frozen):
    """End gracefully and at once, as Ctrl-C does: a model call or program in progress is interrupted."""

    type: Literal["stop"] = "stop"


class Connect(Frozen):
    """Watch a virtual desktop: after a :class:`Told` that is ok the connection speaks RFB (VNC), the server first.

    ``desk``: its number; ``hands``: with mouse and keyboard; refused unless a person has taken over, and disconnected
    when they hand back.
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
    """What is changed when a run is continued; None: as when it began. A run keeps the secrets it began with."""

    model: str | None = None
    mode: Mode = "automatic"
    modes: tuple[tuple[str, Mode], ...] = ()
    limits: Limits | None = None


class Place(Frozen):
    """Where a rewind goes back to: the last reply at or before ``event``, or the end of ``branch`` (its number or
    name), or with neither what the last rewind left. ``say`` and ``role`` go with ``event``: what the role should know,
    and which role is called instead. ``keep_files``: the workspace stays as it is."""

    event: int | None = None
    branch: str | None = None
    say: str = ""
    role: str | None = None
    keep_files: bool = False


class Start(Frozen):
    """A new run. ``secrets``: names of those it may type; the request itself has none, since no value is sent
    anywhere."""

    type: Literal["start"] = "start"
    request: RunRequest
    secrets: tuple[str, ...] = ()


class Resume(Frozen):
    """Continue a run."""

    type: Literal["resume"] = "resume"
    run: str
    changes: Changes = Changes()


class Rewind(Frozen):
    """Go back to an earlier reply of a run and continue from there. If the run had ended there, only go back."""

    type: Literal["rewind"] = "rewind"
    run: str
    place: Place
    changes: Changes = Changes()


class Again(Frozen):
    """Repeat a recorded branch on a live desktop, as a run of its own. ``branch`` None: the one that the run stands on;
    ``sets``, ``hand_over``: see ``LiveRequest``; the request is derived from the run's own."""

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
    """Try a skill on other values. ``params``: as typed, ``name=value``; ``workspace`` None: a new folder."""

    type: Literal["try"] = "try"
    skill: str
    params: tuple[str, ...] = ()
    workspace: Path | None = None
    mode: Mode = "automatic"


Task = Annotated[Start | Resume | Rewind | Again | Teach | Try, Field(discriminator="type")]


class Job(Frozen):
    """All that a run's process is started with. ``patience``: seconds that a question waits for an answer, and a held
    run for its person; None: as long as the run may last. ``folder``: of sockets and logs; ``name``: of those of this
    process until the run has a name."""

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
    """The run is in the journal and continues by itself. ``ended``: it only went back, and does not continue."""

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
