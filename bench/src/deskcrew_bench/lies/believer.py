"""A crew that does its steps and believes its own answer. Where a script names a control by a pattern, it finds it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from deskcrew.errors import UsageError
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew_bench.lies.situation import Operation, Part

AT = "@"
"""Before a control or program in a script: a pattern for what the prompt says of it, instead of its label or name; with a
number before it (``@#2 button``) the second that it fits, and so on."""
_WHICH = re.compile(r"#(\d+) ")
PLACES = ("x", "y", "to_x", "to_y")
"""Parameters that are pixels. A script may compute them, which gives texts."""


class Believer(ScriptedModel):
    """A crew that does its steps, claims to be finished and finds its own answer right, wherever it reads it."""

    def __init__(self, part: Part, *, name: str = "scripted", probe: str = "") -> None:
        super().__init__(itertools.repeat(self._reply), name=name)
        self.part, self.probe = part, probe
        self.left = list(part.steps)

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": self.part.answer, "sources": facts(call), "branch": "Continue"}
        if call.role == "Reader":
            return {"texts": list(reading(call, self.part.answer)), "why": "It says so."}
        if call.role == "Verifier":
            return {"code": self.probe}
        operations = [aimed(operation, call) for operation in self.left.pop(0)] if self.left else []
        if self.left:
            return {"operations": operations, "branch": "Continue"}
        return {"operations": operations, "information": self.part.says, "branch": "RoleTaskFinish"}


def reading(call: Call, answer: str) -> Iterator[dict[str, object]]:
    """What a reader says of the texts that it is shown who takes this answer for right, and no other, wherever it stands in
    the source."""
    source = call.text("task").rpartition("Source:\n")[2].replace(",", "")
    texts = re.split(r"^Text \d+:\n", call.text("volatile"), flags=re.MULTILINE)[1:]
    for number, shown in enumerate(texts, 1):
        text = shown.removesuffix("Reply:").strip()
        stands = text.replace(",", "") in source
        yield {"text": number, "quote": text[:20], "fulfils": stands and text == answer}


def facts(call: Call) -> list[str]:
    """Numbers of facts in the prompt: all are cited. Where there is none, one that is not there."""
    told = call.text("volatile").partition("Facts:")[2]
    return re.findall(r"^(\d+): ", told, flags=re.MULTILINE)[:5] or ["1"]


def aimed(operation: Operation, call: Call) -> Operation:
    """The operation with the name of the program, or the label of the control, that its pattern fits."""
    made = {name: int(value) if name in PLACES else value for name, value in operation.items()}
    for name, line in (("app_name", r"(?:^Programs: |, )([^,\n]*{}[^,\n]*)"), ("control", r"^(\S+) {}")):
        pattern = str(operation.get(name) or "")
        if not pattern.startswith(AT):
            continue
        which = _WHICH.match(pattern, len(AT))
        sought = pattern[which.end() if which else len(AT) :]
        found = re.findall(line.format(sought), call.text("task", "volatile"), flags=re.MULTILINE)
        at = int(which[1]) if which else 1
        if len(found) < at:
            raise UsageError(f"Nothing on this desktop fits {pattern!r}.", hint="`deskcrew doctor` says what is missing.")
        made[name] = found[at - 1]
    return made
