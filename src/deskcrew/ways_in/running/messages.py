"""Messages over a run's socket (typed, one JSON object per line), jobs for a run's process, and the reports that it sends.

None of this is state: that is in the journal alone. A request can be repeated and gets the same answer.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter

from deskcrew.engine.human.questions import Mode, Question, Response, Said
from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import WordsOf
from deskcrew.facts.observation import Frozen
from deskcrew.settings import Limits, Settings

if TYPE_CHECKING:
    from anyio.abc import ByteSendStream

LONGEST_LINE = 4 << 20
"""The maximum length of a message in bytes: an edited reply may contain a program. A longer message is invalid."""

AnyQuestion = Annotated[Question, Field(discriminator="type")]
AnySaid = Annotated[Said, Field(discriminator="type")]
AnyResponse = Annotated[Response, Field(discriminator="type")]


# What a run's process reports about itself


class Pending(Frozen):
    """A question that waits for an answer. ``id``: a new one each time it is asked. ``since``: Unix seconds."""

    id: str
    question: AnyQuestion
    since: float


class RunNote(Frozen):
    """A message from the run to the person, such as why an intervention is not possible. ``number`` increases by
    one."""

    number: int
    time: float
    text: str


class RunScreens(Frozen):
    """The run's virtual desktops, which a person can watch live. ``width``, ``height``: of each, in pixels; ``why_not``:
    why they cannot be watched, '' if they can; ``desks``: their numbers: 1 is the run's own, the others belong to lanes."""

    width: int
    height: int
    why_not: str = ""
    desks: tuple[int, ...] = (1,)


class Alive(Frozen):
    """The state of a run that a process works on. ``waiting``: interventions that the run has not processed yet, oldest
    first; ``held``: whether a person has paused it or taken over its desktop; ``screen``: None without a virtual desktop;
    ``stopping``: whether it is ending gracefully because it was told to stop; ``node``: the node of a fleet that executes
    it, where it can only be answered and stopped; '' if it runs on this machine; ``doing``: what it says takes a while, such
    as loading a model, until its next event."""

    type: Literal["alive"] = "alive"
    run: str
    pid: int
    question: Pending | None = None
    waiting: tuple[AnySaid, ...] = ()
    held: Literal["pause", "take_over"] | None = None
    notes: tuple[RunNote, ...] = ()
    screen: RunScreens | None = None
    stopping: bool = False
    node: str = ""
    doing: str = ""


class Told(Frozen):
    """The result of an intervention or answer: whether it was accepted, and words for the person."""

    type: Literal["told"] = "told"
    ok: bool
    text: str = ""


# What a run's process is asked


class AskAlive(Frozen):
    """Asks for the run's state, :class:`Alive`; with ``follow``, again whenever it changes."""

    type: Literal["alive"] = "alive"
    follow: bool = False


class Say(Frozen):
    """An intervention. If a question is open, it answers that question."""

    type: Literal["say"] = "say"
    said: AnySaid


class AnswerGiven(Frozen):
    """The answer to the question with the id ``question``. Only the first answer counts."""

    type: Literal["answer"] = "answer"
    question: str
    answer: AnyResponse


class Stop(Frozen):
    """Ends the run gracefully and at once, like Ctrl-C: a model call or program in progress is interrupted."""

    type: Literal["stop"] = "stop"


class Connect(Frozen):
    """Shows a virtual desktop: after a :class:`Told` with ``ok``, the connection speaks RFB (VNC), the server first.

    ``desk``: the desktop's number; ``hands``: with mouse and keyboard. That is refused unless a person has taken over, and
    the viewer is disconnected when they hand back.
    """

    type: Literal["connect"] = "connect"
    hands: bool = False
    desk: int = 1


Asked = Annotated[AskAlive | Say | AnswerGiven | Stop | Connect, Field(discriminator="type")]
Replied = Annotated[Alive | Told, Field(discriminator="type")]
ASKED: TypeAdapter[Asked] = TypeAdapter(Asked)
REPLIED: TypeAdapter[Replied] = TypeAdapter(Replied)


# Jobs that a process is started for


class RunChanges(Frozen):
    """Changes for a run that is continued; None leaves a setting as it was. A new ``mode`` applies to all roles except those
    in ``modes``. A run keeps the secrets that it began with."""

    model: str | None = None
    mode: Mode | None = None
    modes: tuple[tuple[str, Mode], ...] = ()
    limits: Limits | None = None

    def of(self, request: RunRequest) -> RunRequest:
        """The request with these changes."""
        modes = self.modes if self.mode else tuple((dict(request.modes) | dict(self.modes)).items())
        return replace(
            request,
            model=self.model or request.model,
            mode=self.mode or request.mode,
            modes=modes,
            limits=self.limits or request.limits,
        )


class RewindPlace(Frozen):
    """Where a rewind goes back to: the last reply at or before ``event``, or the end of ``branch`` (its number or
    name); with neither, the end of the branch that the last rewind left. ``say``: what the role should know; ``role``: the
    role to call instead; both need ``event``. ``keep_files``: leave the workspace as it is."""

    event: int | None = None
    branch: str | None = None
    say: str = ""
    role: str | None = None
    keep_files: bool = False
    words_of: WordsOf = "person"
    """Whose words ``say`` is."""


class Start(Frozen):
    """Starts a new run. ``secrets``: the names of the secrets that it may type; the request itself has none, because their
    values are never sent."""

    type: Literal["start"] = "start"
    request: RunRequest
    secrets: tuple[str, ...] = ()


class Resume(Frozen):
    """Continues a run."""

    type: Literal["resume"] = "resume"
    run: str
    changes: RunChanges = RunChanges()


class Rewind(Frozen):
    """Goes back to an earlier place in a run, and continues from there unless the run had ended there."""

    type: Literal["rewind"] = "rewind"
    run: str
    place: RewindPlace
    changes: RunChanges = RunChanges()


class Again(Frozen):
    """Repeats a recorded branch on a live desktop, as a new run, with the recorded run's request. ``branch``: the branch,
    None for the run's current one; ``sets``, ``hand_over``: see ``LiveRequest``."""

    type: Literal["again"] = "again"
    run: str
    branch: str | None = None
    sets: tuple[str, ...] = ()
    hand_over: bool = False
    mode: Mode = "automatic"


class Teach(Frozen):
    """Records a person's demonstration (``engine/workshop/teaching.py``)."""

    type: Literal["teach"] = "teach"
    request: RunRequest


class Try(Frozen):
    """Tries a skill with other values. ``params``: ``name=value`` as typed; ``workspace``: the folder, None for a new one;
    ``attachments``: files to copy into it."""

    type: Literal["try"] = "try"
    skill: str
    params: tuple[str, ...] = ()
    workspace: Path | None = None
    attachments: tuple[Path, ...] = ()
    mode: Mode = "automatic"


Task = Annotated[Start | Resume | Rewind | Again | Teach | Try, Field(discriminator="type")]


class Job(Frozen):
    """Everything that a run's process is started with. ``patience``: how long a question waits for its answer, and a
    paused run for its person, in seconds, None for as long as the run may last; ``folder``: where sockets and logs are;
    ``name``: the name of this process's files until the run has a name."""

    task: Task
    settings: Settings
    folder: Path
    name: str
    patience: float | None = None


# Reports to the process that started it, until the run has begun


class Notice(Frozen):
    """A message that says what the process is waiting for."""

    type: Literal["notice"] = "notice"
    text: str


class Begun(Frozen):
    """The run is in the journal, and continues without the process that started it. ``ended``: the run only went back, and
    does not continue."""

    type: Literal["begun"] = "begun"
    run: str
    ended: bool = False


class Failed(Frozen):
    """The run could not begin. ``kind``: the name of an error class in ``errors.py``."""

    type: Literal["failed"] = "failed"
    kind: str
    text: str
    hint: str = ""


Report = Annotated[Notice | Begun | Failed, Field(discriminator="type")]
REPORT: TypeAdapter[Report] = TypeAdapter(Report)


async def send(stream: ByteSendStream, message: BaseModel) -> None:
    """Send a message, as one line."""
    await stream.send(message.model_dump_json().encode() + b"\n")
