"""A kind of run that ``deskcrew bench faults`` kills, and what the replies of its crew are put together from.

What every operation does leaves one line in ``log.txt``. A role does what is not there yet, as a careful agent would; so
a run that was killed anywhere and gone on with must end right, and with every line once.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deskcrew.engine.human.questions import Approval, HelpQuestion, OperationQuestion, Response
from deskcrew.engine.human.responder import Nobody, PythonResponder, Responder
from deskcrew.engine.request import RunRequest
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.events import HumanSaid
from deskcrew.facts.verdict import OutcomeStatus
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel

LOG = "log.txt"
Roles = Mapping[str, Callable[[Call], Reply]]
Operations = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of run. ``fill`` puts the first files into the workspace. ``roles`` makes what each role answers, from the
    workspace and the prompt alone. ``lines``: what the log must hold in the end, each once; ``files``: what must be there.

    ``before``: the run that a second process has to do with. ``rewound``: it went to its end, and is rewound and gone on
    with; ``killed``: it was killed within its third action, and is resumed. Faults are in the second process then.
    ``ends``: its outcome where nobody kills it; ``unverified`` where no check says more than that a file is there.
    ``remembered``: what it teaches is kept in long-term memory. ``lanes``: how many parts of the plan are done at once.
    """

    name: str
    task: str
    roles: Callable[[Path], Roles]
    lines: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    fill: Callable[[Path], None] = lambda _: None
    answer: str = ""
    crew: str = "planned"
    passive: bool = False
    before: str = ""
    desktop: bool = False
    ends: OutcomeStatus = "done"
    remembered: bool = False
    lanes: int = 0

    def request(self, folder: Path) -> RunRequest:
        """What is asked for; makes and fills the workspace where there is none."""
        workspace = folder / "work"
        if not workspace.exists():
            workspace.mkdir(parents=True)
            self.fill(workspace)
        return RunRequest(
            task=self.task,
            model="scripted:none",
            crew=self.crew,
            workspace=workspace,
            desktop="virtual" if self.desktop else "none",
            mode="passive" if self.passive else "automatic",
            memory="on" if self.remembered else "off",
            lanes=self.lanes,
            required=contract_of([check_of(each) for each in self._must()]),
        )

    def _must(self) -> Iterator[str]:
        """What has to hold in the end, as ``--require`` takes it."""
        for path, text in self.files.items():
            gone = path.removeprefix(".trash/")
            yield f"file_is {path} {shlex.quote(text)}" if gone == path else f"file_absent {gone}"
        yield from (f"file_contains {LOG} {line}" for line in self.lines)

    def model(self, folder: Path) -> ScriptedModel:
        roles = self.roles(folder / "work")
        return ScriptedModel(itertools.repeat(lambda call: roles[call.role](call)))

    def person(self) -> Responder:
        return person() if self.passive else Nobody()


def person() -> Responder:
    """Says which colour is liked, and yes to what is to be done, but no to what would leave the machine."""

    async def help(question: HelpQuestion) -> Response:
        return HumanSaid(kind="answer", text="green")

    async def allow(question: OperationQuestion) -> Response:
        return Approval(allowed=question.risk != "network")

    return PythonResponder(help=help, operation=allow)


def has(workspace: Path, file: str, text: str) -> bool:
    path = workspace / file
    return path.is_file() and text in path.read_text()


def logging(workspace: Path, line: str) -> str:
    """Code that notes ``line``, where it is not noted yet."""
    return "" if has(workspace, LOG, line) else f"open('{LOG}', 'a').write('{line}\\n')"


def python(*lines: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": "\n".join(line for line in lines if line)}


def noting(workspace: Path, line: str) -> Operations:
    """A file operation that leaves its line."""
    if has(workspace, LOG, line):
        return []
    return [{"function": "write_file", "file_path": LOG, "text": f"{line}\n", "append": True}]


def finished(*operations: dict[str, Any]) -> Reply:
    return {"operations": list(operations), "branch": "RoleTaskFinish"}


def always(reply: Reply) -> Callable[[Call], Reply]:
    return lambda _: reply


def planned(*parts: tuple[str, str], question: str = "") -> Callable[[Call], Reply]:
    return always(
        {
            "subtasks": [{"goal": goal, "role": role} for goal, role in parts],
            "question": question,
        }
    )
