"""Advice on a run that is not done: what was tried, in a sentence or two, and what would help, with the command.

Computed from the events of a branch alone, so that a terminal, a page and a program say the same. The error itself
comes first. A higher limit is suggested only if the work was progressing; if it was wrong, more tries do not help.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.nearest import nearest_in
from deskcrew.facts.no_file import column_slip_told, slip_told
from deskcrew.facts.run_settings import Repetition
from deskcrew.facts.texts import file_names, stands_in
from deskcrew.facts.verdict import BUDGETS, READ_AS, UNCONFIRMED, Outcome, used_up
from deskcrew.journal.records import UNASKED, ending, repeating, touched
from deskcrew.ways_in.report.text import one_line

LARGER = "openai:gpt-5-mini"
"""The larger model that suggested commands name."""
_WORDS = 400
"""The maximum number of characters of an error or a verdict."""


def goes_on(outcome: Outcome | None, events: Sequence[e.Event]) -> bool:
    """Whether resuming a run with this outcome gets it any further; ``events``: its events."""
    if repeating(events) is not None:
        return False
    if outcome is None or not outcome.resumable or outcome.reason != "model":
        read = e.latest(events, e.Understood)
        return outcome is None or (outcome.resumable and (read is None or read.holds))
    models = (begun.model for begun in e.newest_first(events, e.RunStarted, e.RunResumed))
    return not _of_a_list(next(filter(None, models), ""))


def _of_a_list(model: str) -> bool:
    """Whether a model replies from a list, recorded or written: once that is used up, resuming does not help."""
    return model.partition(":")[0] in ("recorded", "scripted")


@dataclass(frozen=True, slots=True)
class AdviceStep:
    """One thing that would help. ``command``: the exact command for it, '' if there is none."""

    words: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """``tried``: what was tried and what was wrong with it; ``steps``: one to three things to do next."""

    tried: str
    steps: tuple[AdviceStep, ...]


def advice(run: str, events: Sequence[e.Event]) -> Advice | None:
    """Advice for the branch with these events. None if the run is done or has not ended, or if a person stopped it, except
    by saying that it was misunderstood.

    ``run``: the run's name in commands.
    """
    outcome = ending(events)
    if outcome is None or outcome.status == "done":
        return None
    history = _History.of(events)
    if outcome.status == "stopped" and (history.read is None or history.read.holds):
        return None
    return _Told(run, outcome, history).advice


@dataclass(slots=True)
class _History:
    """What the advice needs to know from the events."""

    events: Sequence[e.Event]
    model: str = ""
    task: str = ""
    workspace: str = ""
    folder: str = ""
    """The workspace, '' if it was made for the run."""
    begun_in: str = ""
    yes: bool = False
    """Whether a yes to any reading that uses all words was said beforehand."""
    small: bool = False
    replies: list[e.Event] = field(default_factory=list[e.Event])
    replied: bool = False
    """Whether a role or a rule has replied, or read the task: without that there is nothing to go back to."""
    asked: e.Event | None = None
    """The last question to a model, if it has no reply."""
    repairs: list[e.Event] = field(default_factory=list[e.Event])
    """Verdicts that had work repeated, for the subtask worked on last."""
    appeals: list[e.Event] = field(default_factory=list[e.Event])
    """Requests for another plan, for the subtask worked on last."""
    replans: list[e.Event] = field(default_factory=list[e.Event])
    malformed: list[e.Event] = field(default_factory=list[e.Event])
    denied: e.Event | None = None
    goals: dict[str, str] = field(default_factory=dict[str, str])
    parts: int = 0
    ready: int = 0
    limits: JsonObject = field(default_factory=JsonObject)
    """The limits that the run had."""
    read: e.Understood | None = None
    """What a small model took the task for, and a person's answer to that, as last recorded by event ``read_at``."""
    read_at: int = 0
    skill: str = ""
    """The name of the skill that the run tries."""
    program: bool = False
    """Whether that skill is one program, without steps that could be left out or shown."""
    attempts: bool = False
    """Whether there are other attempts at the task."""
    repeated: Repetition | None = None
    """What a run repeats: another run, or a skill; None for any other."""

    @classmethod
    def of(cls, events: Sequence[e.Event]) -> _History:
        found = cls(events)
        for event in events:
            if isinstance(event.body, e.AttemptsShown):
                found.attempts = True
                break  # what follows only compares them
            found._note(event)
        return found

    def _note(self, event: e.Event) -> None:
        match event.body:
            case e.RunStarted() | e.RunResumed() as body:
                self.model = body.model or self.model
                if isinstance(body, e.RunStarted):
                    self.task, self.workspace, self.begun_in = body.task, body.workspace, body.begun_in
                    self.folder = body.folder(event.header.run)
                    self.yes = body.settings.yes
                self.small = not _freely(body.profile) if "name" in body.profile else self.small  # else without its texts
                self.limits = body.settings.limits or self.limits
                if (repeated := body.settings.replay) is not None:
                    self.skill, self.program = repeated.skill, repeated.program
                    self.repeated = repeated
            case e.Rewound() as body if body.attempt or body.choice is not None:
                self.attempts = True
            case e.PlanPatched() as body:
                self.goals.update((subtask.id, subtask.goal) for subtask in body.plan.subtasks)
                self.parts = len(body.plan.subtasks)
            case e.Understood() as body:
                self.read, self.read_at, self.replied = body, event.number, True
            case e.OperationProposed():
                self.replied = True
            case e.RoleCalled():
                self.asked = event
            case e.RoleReplied() as body:
                self.replied, self.asked = True, None
                if body.model not in UNASKED:
                    self.replies.append(event)
                    self.malformed = [*self.malformed, event] if body.reply is None else []
            case e.Judged() as body if body.verdict.kind == "repair":
                same = [known for known in self.repairs if _part(known) == body.subtask]
                self.repairs = [*same, event]
            case e.Judged() as body if body.verdict.kind == "accept" and body.scope == "subtask":
                self.repairs, self.ready = [], self.ready + 1
            case e.Judged() as body if body.verdict.kind == "appeal":
                same = [known for known in self.appeals if _part(known) == body.subtask]
                self.appeals = [*same, event]
            case e.Judged() as body if body.verdict.kind == "replan":
                self.replans.append(event)
            case e.OperationDenied():
                self.denied = event
            case e.ActionStarted():
                self.denied = None
            case _:
                pass

    @property
    def alone(self) -> bool:
        """Whether the run only repeats operations: no role replied, so that there is nothing to go back to."""
        return self.repeated is not None and not self.replies

    @property
    def last(self) -> int:
        """Where to go back to for another try of the last reply."""
        return self.replies[-1].number if self.replies else self.events[-1].number

    @property
    def went_wrong(self) -> int:
        """Where to go back to for another try of what was sent back: the reply before it was first sent back."""
        if not self.repairs:
            return self.last
        before = [event.number for event in self.replies if event.number < self.repairs[0].number]
        return before[-1] if before else self.last


def _freely(profile: JsonObject) -> bool:
    """Whether a model of this profile works freely."""
    # Imported here: commands that only read a journal load nothing of models.
    from deskcrew.models.client import Profile

    return Profile.model_validate(profile).freely


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _part(event: e.Event) -> str | None:
    return event.body.subtask if isinstance(event.body, e.Judged) else None


class _Told:
    """The advice on one outcome."""

    def __init__(self, run: str, outcome: Outcome, history: _History) -> None:
        self._run, self._outcome, self._history = run, outcome, history

    @property
    def advice(self) -> Advice:
        told = self._advice()
        if self._history.replied and not self._history.alone:
            return told
        steps = tuple(step for step in told.steps if not step.command.startswith("deskcrew rewind "))
        first, *others = steps or (AdviceStep("Start the task again."),)
        words = first.words.removeprefix("Or ")  # it is the first of them now
        return Advice(told.tried, (replace(first, words=words[:1].upper() + words[1:]), *others))

    def _advice(self) -> Advice:
        outcome, read = self._outcome, self._history.read
        if outcome.status == "stopped" and read is not None:
            return self._declined(read)
        if outcome.reason == UNCONFIRMED and read is not None:
            return self._unconfirmed(read)
        if outcome.status == "unverified":
            return self._unverified()
        if self._history.denied is not None and outcome.status == "denied":
            return self._denied(self._history.denied)
        if outcome.reason.startswith("bound:"):
            return self._bound(outcome.reason.removeprefix("bound:"))
        match outcome.reason:
            case "environment":
                return Advice(self._why(), (AdviceStep("See what this machine lacks:", "deskcrew doctor"), self._going_on()))
            case "model":
                return self._no_model()
            case "mismatch":
                return self._mismatch()
            case "unreadable":
                return Advice(self._why(), (AdviceStep("Save it anew in the program that made it, or name another file."),))
            case "unchecked":
                return Advice(self._why(), (AdviceStep("Look at what it made, or undo it:", f"deskcrew undo {self._run}"),))
            case "changed":
                return self._changed()
            case "no_file":
                return self._no_file()
            case "no_column":
                return self._no_column()
            case "name_taken":
                return Advice(self._why(), (AdviceStep("Name another file, or move or remove that one, and ask again."),))
            case "no_skill":
                return self._no_skill()
            case "unusable" if read is not None:
                return self._unusable(read)
            case "infeasible":
                told = f"{self._why()} The crew took this to mean that the task cannot be done."
                return Advice(told, (self._back("what it overlooked, or where to find it"), self._word(), *self._larger()))
            case _:
                steps = self._back("how to do it"), *self._larger(), self._word()
                return Advice(self._why(), steps[:3])

    # What was tried

    def _why(self) -> str:
        """The run's own reason, as a sentence."""
        words = one_line(self._outcome.why, _WORDS) or "No reason was recorded."
        return words if words.endswith((".", "!", "?", "…")) else f"{words}."

    def _error(self, event: e.Event) -> str:
        """What a verdict found wrong, as a sentence."""
        body = event.body
        words = one_line(body.verdict.why, _WORDS) if isinstance(body, e.Judged) else ""
        if not words:
            return "The work was found wrong."
        return words if words.endswith((".", "!", "?", "…")) else f"{words}."

    def _of_part(self) -> str:
        goal = self._history.goals.get(_part(self._history.repairs[-1]) or "", "")
        return f"“{one_line(goal, 80)}”" if goal else "This subtask"

    def _unverified(self) -> Advice:
        failing = [check for check in self._outcome.checks if check.holds is not True]
        told = self._why()
        if failing and failing[0].check.words not in told:
            told += f" Not shown: {one_line(failing[0].check.words, 160)}."
        look = AdviceStep("Look at what it did:", f"deskcrew log {self._run}")
        right = AdviceStep("If it is right, say so:", f"deskcrew confirm {self._run} --yes")
        if self._history.skill:
            return Advice(told, (look, right))
        if (read := self._history.read) is not None and not read.by:
            words = "To have it proven without anybody being asked, as in a schedule, name the skill and its values:"
            return Advice(told, (look, right, AdviceStep(words, self._use(read.use))))
        if self._history.attempts:
            look = AdviceStep("See the attempts, and take another one with rewind --branch:", f"deskcrew branch {self._run}")
        return Advice(told, (look, right, self._back("what is missing"), *self._larger())[:3])

    def _unconfirmed(self, read: e.Understood) -> Advice:
        """Advice if nobody was there to say whether a small model understood the task rightly."""
        task, folder = (shlex.quote(each) for each in (self._history.task, self._history.workspace))
        use = AdviceStep("If that is what you mean, use the skill directly:", self._use(read.use))
        words = "Or say yes in advance, however it is understood; with a skill that ships, the run then ends unverified:"
        yes = AdviceStep(words, f"deskcrew run {task} --workspace {folder} --yes")
        asked = AdviceStep("Or be asked, at a terminal:", f"deskcrew resume {self._run}")
        return Advice(self._why(), (use, asked) if self._history.yes else (use, yes, asked))

    def _declined(self, read: e.Understood) -> Advice:
        """Advice if a person said no to what a small model understood."""
        again = AdviceStep("Say it otherwise:", f'deskcrew rewind {self._run} {self._history.read_at} --say "..."')
        near = [AdviceStep(f"If {use.skill} does it, use that:", self._use(use)) for use in read.near[:2]]
        skills = [AdviceStep("See what skills do:", "deskcrew skill list --shipped")]
        return Advice(self._why(), (again, *(near or skills)))

    def _use(self, use: e.SkillUse) -> str:
        """The command that uses a skill; the parameter's name in capitals stands for a value that is not known."""
        values = [f"{name}={shlex.quote(value) if value else name.upper()}" for name, value in use.values.items()]
        folder = shlex.quote(self._history.workspace)
        return " ".join(["deskcrew skill use", use.skill, *values, "--workspace", folder])

    def _mismatch(self) -> Advice:
        """Advice if a repeated run, or a skill, met something else than when it was recorded. No model took part."""
        look = AdviceStep("See how far it came, and what was there instead:", f"deskcrew log {self._run}")
        if not (skill := self._history.skill):
            return Advice(self._why(), (look, AdviceStep("Or have a model do the task:", self._anew())))
        again = AdviceStep("Use it with values that fit these files:", self._fitting(skill))
        if self._history.program:
            return Advice(self._why(), (again, look))
        if self._has_own_folder():
            again = AdviceStep("Try it with values that fit these files:", f"deskcrew skill try {skill} --param NAME=VALUE")
        task = shlex.quote(self._history.task)
        other = AdviceStep("If a step is wrong, show once more how it is done:", f"deskcrew teach {task}")
        return Advice(self._why(), (look, again, other))

    def _denied(self, event: e.Event) -> Advice:
        body = event.body
        assert isinstance(body, e.OperationDenied)
        explain = AdviceStep("See why the rule decided so:", f"deskcrew policy explain {self._run} {event.number}")
        other = self._back("how to do without it", event.number)
        if self._history.alone:
            other = AdviceStep("See how far it came:", f"deskcrew log {self._run}")
        # Why it was denied is told with the operation; what the run says besides is not to be lost.
        since = f" {self._why()}" if self._outcome.why and (body.why or "\0") not in self._outcome.why else ""
        match body.by:
            case "nobody":
                told = f"It needed your permission, and nobody was there to give it.{since}"
                asked = AdviceStep("Be asked this time:", f"deskcrew rewind {self._run} {event.number} --approve")
                if self._history.alone and (repeated := self._history.repeated) is not None:
                    asked = AdviceStep(
                        "Do the same again with the same files, and be asked:", f"{repeated.command()} --approve"
                    )
                return Advice(told, (asked, explain, other))
            case "human":
                return Advice(f"You did not allow it.{since}", (other,))
            case "policy":
                rule = one_line(body.rule, 60)
                told = f"The policy's rule {rule} denies it in every mode.{since}"
                allow = AdviceStep(
                    "If it should be allowed, change that rule and check the policy:", "deskcrew policy check FILE"
                )
                return Advice(told, (explain, allow, other))

    def _bound(self, name: str) -> Advice:
        history = self._history
        match name:
            case "repairs" if history.repairs:
                # The verdict that the bound was reached with says what was wrong; more tries at the same say it again.
                told = f"{self._error(history.repairs[-1])} {self._of_part()} was tried {_times(len(history.repairs))}."
                steps = self._back("how to do it", history.went_wrong), *self._larger(), self._word()
                return Advice(told, steps[:3])
            case "appeals" if history.appeals:
                times = _times(len(history.appeals))
                told = f"{self._error(history.appeals[-1])} The planner was asked for another plan {times}."
                return Advice(told, (self._back("which steps to take"), *self._larger(), self._word())[:3])
            case "replans" if history.replans:
                told = f"{self._error(history.replans[-1])} The work was sent back {_times(len(history.replans))}."
                return Advice(told, (self._back("which steps to take"), *self._larger(), self._word())[:3])
            case "reassignments":
                told = f"{self._why()} No role of the crew accepted this subtask."
                role = AdviceStep("Name the role yourself:", f"deskcrew rewind {self._run} {history.last} --role ROLE")
                return Advice(told, (role, self._word()))
            case "format_retries":
                seen = AdviceStep("See what it replied:", f"deskcrew show {self._run} {history.last} --reply")
                return Advice(self._malformed(), (seen, *self._other_model()))
            case "repeats" | "stalls":
                again = "The same was tried again, although it had changed nothing."
                told = f"{self._why()} {again if name == 'repeats' else ''}".rstrip()
                return Advice(told, (self._back("what to do instead"), *self._larger(), self._word())[:3])
            case _:
                return self._raised(name)

    def _malformed(self) -> str:
        body = self._history.malformed[-1].body if self._history.malformed else None
        if not isinstance(body, e.RoleReplied):
            return self._why()
        error = one_line(body.error, _WORDS).rstrip(".")
        return f"{error}. {self._history.model} gave {len(self._history.malformed)} replies in a row that cannot be read."

    def _raised(self, name: str) -> Advice:
        history, budget = self._history, used_up(self._outcome.reason)
        what = BUDGETS[budget] if budget else name
        done = f" Subtasks done by then: {history.ready} of {history.parts}." if history.parts else ""
        bound = history.limits.get(name)
        told = f"The limit of {f'{bound:g} ' if isinstance(bound, int | float) else ''}{what} was reached.{done}"
        more = f"{bound * 2 or 1:g}" if isinstance(bound, int | float) else "N"
        if history.alone or not (history.replied or budget):
            again = AdviceStep("Start the task again with a higher limit:", f"{self._anew()} --limit {name}={more}")
            return Advice(told, (again,))
        going_on = f"resume {self._run}" if budget else f"rewind {self._run} {history.last}"
        steps = [AdviceStep("Continue with a higher limit:", f"deskcrew {going_on} --limit {name}={more}")]
        if history.repairs:
            told += f" Last found wrong: {self._error(history.repairs[-1])}"
            steps.append(self._back("how to do it", history.went_wrong))
        return Advice(told, (*steps, *self._larger())[:3])

    def _changed(self) -> Advice:
        """Advice if somebody changed the run's files meanwhile: neither its work nor the model is at fault."""
        again = ""
        if (repeated := self._history.repeated) is not None:
            there = {path for path, fate in touched(self._history.events).items() if fate == "created"}
            again = repeated.command(self._history.workspace, there)
        back = AdviceStep("Put back what this run made, and leave the rest:", f"deskcrew undo {self._run}")
        return Advice(self._why(), (AdviceStep("Do it again with the files as they are now:", again or self._anew()), back))

    def _no_file(self) -> Advice:
        """Advice if the task names a file that does not exist."""
        if (slip := slip_told(self._outcome.why)) is None:
            words = "Name a file that exists, or give its folder (--workspace) or the file itself (--attach)."
            return Advice(self._why(), (AdviceStep(words),))
        meant = AdviceStep(f"If {slip.near} is meant:", self._anew(self._history.task.replace(slip.name, slip.near)))
        return Advice(self._why(), (meant, AdviceStep("Or give its folder (--workspace), or the file itself (--attach).")))

    def _no_column(self) -> Advice:
        """Advice if the task names a column that its table does not have, or a small model mistook another word for one."""
        larger = AdviceStep("If no column was meant, a larger model may do it:", f"{self._anew()} --model {LARGER}")
        if (slip := column_slip_told(self._outcome.why)) is None:
            return Advice(self._why(), (AdviceStep("Name a column that the table has."), larger))
        task = self._history.task.replace(slip.name, slip.near)
        return Advice(self._why(), (AdviceStep(f"If {slip.near} is meant:", self._anew(task)), larger))

    def _no_skill(self) -> Advice:
        """Advice if a small model, which can only use skills, found none that fits the task."""
        task, folder = (shlex.quote(each) for each in (self._history.task, self._history.workspace))
        larger = AdviceStep("A larger model may do it:", f"{self._anew()} --model {LARGER}")
        taught = AdviceStep(
            "Or show once how it is done, to make a skill of it:", f"deskcrew teach {task} --workspace {folder}"
        )
        if near := nearest_in(self._outcome.why):
            use = AdviceStep(f"If you mean {near[0]}, give its values:", self._use(e.SkillUse(skill=near[0], values={})))
            return Advice(self._why(), (use, larger, taught))
        here = self._history.begun_in
        if here and self._has_own_folder() and not file_names(self._history.task):
            there = AdviceStep("If the files of your folder are meant:", f"{self._anew()} --workspace {shlex.quote(here)}")
            return Advice(self._why(), (there, larger, taught))
        return Advice(self._why(), (larger, taught, AdviceStep("See what skills do:", "deskcrew skill list --shipped")))

    def _unusable(self, read: e.Understood) -> Advice:
        """Advice if the skill cannot use its values: to give another for one that the refusal quotes, else for one that it
        names, a file last, as many a refusal says where something was found."""
        refusal = self._outcome.why.partition(READ_AS)[0]
        values = read.use.values
        named = [name for name, value in values.items() if stands_in(value, refusal)]
        wrong = min(named, key=lambda name: (repr(values[name]) not in refusal, bool(file_names(values[name]))), default="")
        if wrong:
            use = e.SkillUse(skill=read.skill, values={**values, wrong: ""})
            step = AdviceStep(f"Give another {wrong} than {values[wrong]}:", self._use(use))
        else:  # the same values would be refused again
            step = AdviceStep(
                "Change that in the file and ask again, or use the skill with other values:", self._fitting(read.skill)
            )
        other = AdviceStep("If something else is meant, a larger model may do it:", f"{self._anew()} --model {LARGER}")
        return Advice(self._why(), (step, other))

    def _fitting(self, skill: str) -> str:
        """The command that uses a skill with values which are still to be given."""
        return f"deskcrew skill use {skill} NAME=VALUE --workspace {shlex.quote(self._history.workspace)}"

    def _going_on(self) -> AdviceStep:
        if (repeated := repeating(self._history.events)) is not None:
            return AdviceStep("Start it again, once that is fixed:", repeated.command(self._history.folder))
        return AdviceStep("Continue where it stopped, once that is fixed:", f"deskcrew resume {self._run}")

    def _no_model(self) -> Advice:
        again = self._going_on()
        fixable = () if _of_a_list(self._history.model) else (again,)
        told, seen = self._why(), ()
        if (asked := self._history.asked) is not None and isinstance(asked.body, e.RoleCalled):
            told += f" {one_line(asked.body.role, 40)} was asked."
            seen = (AdviceStep("See what it was asked:", f"deskcrew show {self._run} {asked.number} --prompt"),)
        if self._history.replied:
            return Advice(told, (*fixable, *self._other_model(), *seen))
        other = f"{'Or go' if fixable else 'Go'} on with another model:"
        return Advice(told, (*fixable, AdviceStep(other, f"deskcrew resume {self._run} --model {LARGER}"), *seen))

    # What would help

    def _anew(self, task: str = "") -> str:
        """The command that does the task again, or another ``task``, in the same folder. If the run had a new folder of its
        own, so has the next one: files that a task names are copied from where the command is given."""
        where = f" --workspace {shlex.quote(self._history.folder)}" if self._history.folder else ""
        return f"deskcrew run {shlex.quote(task or self._history.task)}{where}"

    def _has_own_folder(self) -> bool:
        return self._history.folder != self._history.workspace

    def _back(self, what: str, number: int | None = None) -> AdviceStep:
        at = self._history.last if number is None else number
        return AdviceStep(f"Go back and say {what}:", f'deskcrew rewind {self._run} {at} --say "..."')

    def _larger(self) -> tuple[AdviceStep, ...]:
        """A larger model, if a small one was used."""
        return self._other_model("A larger model may do it:") if self._history.small else ()

    def _other_model(self, words: str = "Try another model:") -> tuple[AdviceStep, ...]:
        return (AdviceStep(words, f"deskcrew rewind {self._run} {self._history.went_wrong} --model {LARGER}"),)

    def _word(self) -> AdviceStep:
        return AdviceStep(
            "Or word the task differently: one thing at a time, with the names of files and buttons as they are shown."
        )
