"""The person at the terminal as a :class:`~deskcrew.engine.human.responder.Responder`: questions, commands and a menu."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections import deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import which

import anyio
from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from deskcrew.engine.human.questions import (
    IGNORE,
    IGNORED,
    UNPROVEN,
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    LimitQuestion,
    OperationQuestion,
    Question,
    ReadValue,
    ReplyQuestion,
    Response,
    Said,
    Scope,
)
from deskcrew.engine.steps.agreeing import proposed
from deskcrew.errors import CrewMistake
from deskcrew.facts.events import HumanSaid, Operation, RunStarted
from deskcrew.facts.json_values import JsonValue
from deskcrew.facts.observation import Observation
from deskcrew.facts.plan import Plan
from deskcrew.journal.journal import Journal
from deskcrew.ways_in.cli.commands import command, menu
from deskcrew.ways_in.cli.live import waits_for
from deskcrew.ways_in.cli.terminal import Terminal
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.operations import Looks, in_full, in_words
from deskcrew.ways_in.report.text import clean, some

_SCOPES: dict[str, Scope] = {"y": "once", "yes": "once", "r": "run", "a": "app"}
_NO = frozenset({"n", "no"})
_YES = frozenset({"", "y", "yes", "ok"})
CHOICES = 12
"""The maximum number of choices of a value that are shown."""
_EDITORS = ("sensible-editor", "editor", "nano", "vim", "vi")
"""Tried in this order if neither VISUAL nor EDITOR is set."""


class Person:
    """Asks the person questions on a console, and lets them type commands at any time. :meth:`listen` must run beside the
    run.

    ``journal``: returns the run's journal, None before it has begun; ``enter``: whether Enter alone pauses the run.
    """

    def __init__(
        self,
        console: Console,
        paused: Callable[[], AbstractContextManager[None]],
        terminal: Terminal,
        journal: Callable[[], Journal | None],
        *,
        enter: bool = True,
    ) -> None:
        self._console, self._paused, self._terminal, self._journal = console, paused, terminal, journal
        self._enter = enter
        self._pending: deque[Said] = deque()
        self._lines: deque[str] = deque()
        self._changed = anyio.Event()
        self._open = self._gone = self._menu = False

    async def listen(self) -> None:
        """Read what is typed: an answer while a question is open, else a command. Returns when the input ends."""
        while (line := await self._terminal.line()) is not None:
            if self._open:
                self._lines.append(line)
                self._wake()
            else:
                self._unasked(line)
        self._gone = True
        self._wake()

    def said(self) -> Said | None:
        return self._pending.popleft() if self._pending else None

    async def wait(self) -> Said | None:
        if self._pending:
            return self._pending.popleft()
        with self._asking(anew=not self._menu):
            if not self._menu:
                self._console.print(Text("\nThe run is paused.", style="bold magenta"))
                self._console.print(self._held_back())
                self._console.print(Text("You can type:", style="bold magenta"))
                self._console.print(Text(menu(self._begun())))
            self._menu = True
            while (line := await self._line("> ")) is not None:
                said = self._command(line) if line.strip() else None
                if said is not None:
                    self._menu = not (isinstance(said, HumanSaid) and said.kind in ("resume", "hand_back", "stop"))
                    return said
        return None

    def _held_back(self) -> Text:
        """The operations of the last reply that are not begun yet, in words."""
        journal = self._journal()
        decision = journal.state.decision if journal is not None else None
        if decision is None or not decision.operations:
            return Text("No operation is waiting: a role is asked next.", style="dim")
        look = self._look()
        told = Text(f"{clean(decision.role)} is about to do this:", style="magenta")
        return told.append("".join(f"\n  → {in_words(each, look)}" for each in decision.operations), style="default")

    def tell(self, text: str) -> None:
        self._console.print(Text(clean(text), style="yellow"))

    async def ask(self, question: Question) -> Response | None:
        """Show the question in full and ask it. Anything but a clear yes denies. None if the input has ended."""
        with self._asking():
            if isinstance(question, ReplyQuestion) and question.values and question.tried is not None:
                self.tell(question.note)
                if (edited := await self._with_values(question)) is not None:
                    return edited
                question = question.model_copy(update={"note": "", "tried": None, "wrong": ""})
            self._console.print(shown(question, self._look()))
            if isinstance(question, ReplyQuestion | OperationQuestion) and question.note:
                self.tell(question.note)
            while (line := await self._line(prompt(question))) is not None:
                answer = await self._answer(question, line.strip())
                if answer is not None:
                    return answer
        return None

    async def _answer(self, question: Question, line: str) -> Response | None:
        """The answer in a line; None if it is not an answer, of which the person is told."""
        if isinstance(question, HelpQuestion):
            return self._command(line) if line.startswith("/") else HumanSaid(kind="answer", text=line)
        if isinstance(question, LimitQuestion):
            return Approval(allowed=word in _YES) if (word := line.casefold() or "n") in _YES | _NO else self._command(line)
        if line.casefold() == "e":
            return await self._edited(question)
        if line.removeprefix("/").casefold() in ("help", "?"):
            self._console.print(
                Text(f"{answers(question)}\n\nBesides these, the commands of a paused run:\n{menu(self._begun())}")
            )
            return None
        if isinstance(question, ReplyQuestion) and question.reading:
            if line.casefold() in _NO:
                return Approval(allowed=False)
            if question.unused and line.casefold() in _YES:
                self.tell(IGNORED.format(unused=clean(question.unused)))
                return None
            if not line:
                self.tell(f"Type {'i' if question.unused else 'y'} for yes; Enter alone does not count here.")
                return None
        if isinstance(question, ReplyQuestion) and question.unused and line.casefold() in IGNORE:
            return Accepted(without=question.unused)
        if isinstance(question, ReplyQuestion) and line.casefold() in _YES:
            return Accepted()
        if isinstance(question, OperationQuestion) and (found := approval(question, line)) is not None:
            return found
        if line.startswith("/") or self._is_command(line):
            return self._command(line)
        if " " not in line:
            # It may be a slip of the finger, and as guidance it would throw away what was proposed.
            word = clean(line)
            self.tell(f"A single word is not an answer here. To tell it to the role: guide {word}\n{answers(question)}")
            return None
        return HumanSaid(kind="guide", text=line, role=question.role)

    def _is_command(self, line: str) -> bool:
        try:
            return self._parsed(line) is not None
        except CrewMistake:
            return True

    def _unasked(self, line: str) -> None:
        """Handle a line that was typed without a question."""
        if not (line.strip() or self._enter):
            return
        said = self._command(line) if line.strip() else HumanSaid(kind="pause")
        if said is not None:
            self._pending.append(said)
            self.tell(f"{self._pausing()}..." if said == HumanSaid(kind="pause") else f"> {line} (after this step)")

    def unheard(self) -> list[str]:
        """Guidance for the crew that was typed too late to reach it."""
        return [said.text for said in self._pending if isinstance(said, HumanSaid) and said.kind == "guide"]

    def _pausing(self) -> str:
        """The message that the run pauses, and after which step."""
        journal = self._journal()
        step = waits_for(journal.events[-1], journal) if journal is not None and journal.events else None
        return f"Pausing after this step{f' ({step})' if step else ''}; Ctrl-C ends the run"

    def _command(self, line: str) -> Said | None:
        """The command in a line; None if it is not a command, or was carried out here."""
        word = line.strip().removeprefix("/").casefold()
        if word in ("help", "?"):
            self._console.print(Text(menu(self._begun())))
            return None
        if word in ("plan", "plan show"):
            for each in render.plan(self._plan()) or [Text("There is no plan yet.")]:
                self._console.print(each)
            return None
        try:
            said = self._parsed(line)
        except CrewMistake as error:
            self.tell(str(error))
            return None
        if said is None and " " in line.strip() and word == line.strip().casefold():
            return HumanSaid(kind="guide", text=line.strip())
        if said is None:
            self.tell(f"{line.strip()!r} is not an answer here. Type help to see what there is.")
        elif isinstance(said, HumanSaid) and said.kind == "take_over" and self._virtual():
            self.tell("You can see and take over its desktop in the web app: deskcrew serve --open")
            return None
        return said

    def _parsed(self, line: str) -> Said | None:
        begun = self._begun()
        files = begun.files if begun is not None else {}
        return command(line, self._plan(), [Path(name).stem for name in files if name.startswith("roles/")])

    def _begun(self) -> RunStarted | None:
        journal = self._journal()
        return journal.state.started if journal is not None else None

    def _look(self) -> Observation | None:
        """The observation that the question is about."""
        journal = self._journal()
        return Looks(journal).before(journal.events[-1]) if journal is not None and journal.events else None

    def _virtual(self) -> bool:
        begun = self._begun()
        return begun is not None and begun.desktop == "virtual"

    def _plan(self) -> Plan:
        journal = self._journal()
        return journal.state.plan if journal is not None else Plan()

    async def _edited(self, question: OperationQuestion | ReplyQuestion) -> Response | None:
        """The reply or operation as the person edited it, in their editor, or on one line if they have none."""
        if isinstance(question, ReplyQuestion) and question.values:
            return await self._with_values(question)
        reply = isinstance(question, ReplyQuestion)
        data = question.reply if isinstance(question, ReplyQuestion) else question.operation.model_dump(mode="json")
        text = await self._edit(json.dumps(data, indent=2, ensure_ascii=False))
        if text is None or not text.strip():
            return None
        try:
            given = json.loads(text)
            return EditedReply(reply=given) if reply else EditedOperation(operation=Operation.model_validate(given))
        except json.JSONDecodeError as error:
            self.tell(f"That is not JSON: {error}.")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            self.tell(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}.")
        return None

    async def _with_values(self, question: ReplyQuestion) -> Response | None:
        """The values that a person wants instead, asked one by one, or only for a value that was refused. None if they go
        back to the question, or the input has ended."""
        given = dict(question.tried or question.reply)
        self._console.print(Text("Enter keeps what is in brackets, / goes back to the question.", style="dim"))
        for each in question.values:
            if question.wrong not in ("", each.name):
                continue
            kept = question.reply if question.wrong else given  # what was refused is not offered again
            value = await self._value(each, kept[each.name])
            if value is None:
                return None
            given[each.name] = value
        return EditedReply(reply=given)

    async def _value(self, each: ReadValue, kept: JsonValue) -> JsonValue:
        """The value that a person types, asked until allowed; Enter returns ``kept``. None: see :meth:`_with_values`."""
        among = f" ({clean(some(each.choices, CHOICES))})" if each.choices else ""
        none = ", - for none" if each.optional else ""
        prompt = f"{clean(each.name)}{among} [{clean(str(kept))}{none}] "
        while (line := await self._line(prompt)) is not None and line.strip() != "/":
            value = line.strip()
            if each.optional and value == "-":
                return ""
            if not value or each.allows(value):
                return value or kept
            self.tell(f"{each.name} cannot be {value!r}. It may be: {some(each.choices, CHOICES)}")
        return None

    async def _edit(self, text: str) -> str | None:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or next(filter(None, map(which, _EDITORS)), None)
        if not editor:
            self._console.print(Text(clean(text)))
            return await self._line("The new one, as JSON on one line: ")
        with tempfile.NamedTemporaryFile("w+", suffix=".json", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            try:
                with self._terminal.lent():
                    process = await anyio.open_process(
                        [*shlex.split(editor), file.name], stdin=None, stdout=None, stderr=None
                    )
                    await process.wait()
            except OSError as error:
                self.tell(f"The editor {editor!r} cannot be started: {error.strerror}.")
                return None
            return await anyio.Path(file.name).read_text(encoding="utf-8")

    @contextmanager
    def _asking(self, *, anew: bool = True) -> Generator[None]:
        """A context in which a question is open: nothing else is printed, and lines are answers. ``anew``: drop what was
        typed before, which cannot be an answer to a new question."""
        with self._paused(), self._terminal.shown():
            if anew:
                self._terminal.forget()
                self._lines.clear()
            self._open = True
            try:
                yield
            finally:
                self._open = False

    async def _line(self, text: str) -> str | None:
        self._console.print(Text(text, style="bold"), end="")
        while not self._lines:
            if self._gone:
                return None
            self._changed = anyio.Event()
            await self._changed.wait()
        return self._lines.popleft()

    def _wake(self) -> None:
        self._changed.set()


def approval(question: OperationQuestion, line: str) -> Approval | None:
    """The yes or no in a line; None if it is neither. Enter alone is a no if the guard asks."""
    word = line.casefold()
    if word in _NO or (not word and question.needed):
        return Approval(allowed=False)
    scope = _SCOPES.get(word or "y")
    return Approval(allowed=True, scope=scope) if scope in question.scopes else None


def prompt(question: Question) -> str:
    """The prompt for a question: what can be typed, in a few words."""
    match question:
        case HelpQuestion():
            return "Your answer: "
        case LimitQuestion():
            return "[y/N] "
        case ReplyQuestion() if question.reading:
            yes = "i = yes, ignore them" if question.unused else "y = yes"
            return f"Is that what you want? [{yes}, n = no, e = change the values] "
        case ReplyQuestion():
            return "Enter or y accepts, e edits, s ROLE: switches, or say what to do instead: "
        case OperationQuestion():
            wider = {"run": "r = in this run", "app": f"a = in {clean(question.app)}"}
            told = "".join(f", {wider[scope]}" for scope in question.scopes if scope in wider)
            return f"Allow it? [{'y/N' if question.needed else 'Y/n'}{told}, e = edit, or what to do instead] "


def answers(question: ReplyQuestion | OperationQuestion) -> str:
    """Every possible answer to a question, one per line."""
    if isinstance(question, ReplyQuestion):
        found = ["Enter or y                  accept the reply"]
        if question.reading:
            found = [
                f"{'i' if question.unused else 'y'}                           that is what you want: do it",
                "n                           that is not what you want: end the run",
            ]
    else:
        found = [f"{'y' if question.needed else 'Enter or y':<28}do it, this once"]
        if "run" in question.scopes:
            found.append("r                           do it, and no longer ask about such operations in this run")
        if "app" in question.scopes:
            found.append(f"a                           the same for all in {clean(question.app)}")
        found.append(f"{'Enter or n' if question.needed else 'n':<28}do not do it")
    if isinstance(question, ReplyQuestion) and question.reading:
        found.append("e                           change its values, one after the other")
    else:
        found.append("e                           change it in your editor (VISUAL, EDITOR), as JSON")
    found.append("any sentence                tell the role what to do instead")
    return "\n".join(found)


def shown(question: Question, look: Observation | None = None) -> Text:
    """The text of a question: first the operation in words, and at the end every parameter in full, with control characters
    made visible. ``look``: the last observation before the question."""
    match question:
        case HelpQuestion():
            who = f"{clean(question.role)} asks: " if question.role else "The crew asks: "
            return Text.assemble((who, "bold magenta"), clean(question.question))
        case LimitQuestion():
            return Text(f"\n{question.question}", style="bold magenta")
        case ReplyQuestion(contract=True):
            return _contract(question)
        case ReplyQuestion() if question.reading:
            told, values = question.listed
            unused = f"\nThis ignores your words: {clean(question.unused)}" if question.unused else ""
            text = Text.assemble((unused, "bold yellow"), ("\nUnderstood as: ", "bold magenta"), clean(told))
            for said, mark in ((True, ""), (False, "  (not in your words)")):
                if given := "; ".join(f"{clean(each.name)}: {clean(each.value)}" for each in values if each.said == said):
                    text.append(f"\n  {given}").append(mark, style="yellow")
            if question.preview:
                text.append("\nTried out, nothing kept: ", style="bold").append(clean(question.preview))
            return text
        case ReplyQuestion():
            text = Text.assemble(("\nThe reply of ", "bold magenta"), (clean(question.role), "bold cyan"))
            return text.append(f"\n{clean(json.dumps(question.reply, indent=2, ensure_ascii=False))}")
        case OperationQuestion():
            return _operation(question, look)


def _contract(question: ReplyQuestion) -> Text:
    """What must hold when the task is done, one per line; or that nothing could prove it."""
    if question.unproven:
        text = Text(f"\n{UNPROVEN} Do it all the same?", style="bold magenta")
        return text.append(f"\n\n{clean(question.unproven)}", style="not bold default")
    text = Text("\nWhat must hold when this is done:", style="bold magenta")
    contract = proposed(question.reply)
    for each in contract.requirements:
        text.append(f"\n  {each.id}. {clean(each.says)}").append(f"  ({clean(each.how)})", style="dim")
    return text.append(f"\n{clean(contract.permits)}")


def _operation(question: OperationQuestion, look: Observation | None) -> Text:
    operation = question.operation
    asks = "asks for your permission" if question.needed else "is about to do this"
    text = Text.assemble((f"\n{clean(question.role)} {asks}:", "magenta"))
    text.append(f"\n\n    {in_words(operation, look)}\n", style="bold reverse" if question.needed else "bold")
    if question.intention:
        text.append(f"\n  its reason, as {clean(question.role)} says: ", style="dim").append(clean(question.intention))
    if question.told:
        text.append(f"\n  {clean(question.told)}")
    if question.why:
        text.append("\n  why you are asked: ", style="dim").append(clean(question.why))
    rule = f", rule {question.rule}" if question.rule else ""
    text.append("\n  risk: ", style="dim").append(clean(question.risk), style="yellow").append(clean(rule), style="dim")
    aim = f" {clean(operation.control)}" if operation.control else ""
    text.append(f"\n  in full: {clean(operation.function)}{aim}", style="dim")
    for line in in_full(operation).splitlines():
        text.append(f"\n    {line}", style="dim")
    return text
