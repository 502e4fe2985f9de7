"""The contract: what must hold when a task is done, each requirement with the task's words and how it will be verified.

It is made before anything is executed and before anything untrusted is read (docs/design/proof.md).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from deskcrew.facts.observation import Frozen

TypedKind = Literal[
    "file_exists",
    "file_absent",
    "file_is",
    "file_contains",
    "file_lacks",
    "file_replaced",
    "file_appended",
    "same_as",
    "value_is",
    "names_are",
    "window_shows",
    "control_value",
    "control_is",
    "page_at",
    "program_runs",
    "clipboard_holds",
]
OF_NAMES = frozenset({"file_exists", "file_absent", "names_are"})
"""Kinds of checks that look only at which files exist, not at their content."""
OF_THE_SCREEN = ("window_shows", "control_value", "control_is", "page_at", "program_runs", "clipboard_holds")
"""Kinds whose target is not a path."""
STATES = frozenset(
    ("checked", "partly checked", "pressed", "selected", "expanded", "focused", "required", "invalid", "disabled")
)
"""States of a control that observations report; a state that is not reported does not hold."""
_NOT = "not "
SeenBy = Literal["checks", "probe", "screen", "reading", "answer"]

SEEN_BY: dict[SeenBy, str] = {
    "checks": "checked without a model",
    "probe": "checked by a program",
    "screen": "checked by a program on what windows, pages and requests showed",
    "reading": "judged by a model",
    "answer": "verified from the answer and its sources",
}
"""How a requirement is verified, in words for people: the same wherever a contract is shown."""
PROBED = ("probe", "screen")
"""How requirements that only a probe checks are verified."""


def name_of(requirement: str) -> str:
    """The name of the function that checks a requirement, in a probe's program."""
    return f"requirement_{requirement}"


class TypedCheck(Frozen):
    """A condition that needs no model.

    ``target``: a path; a pattern with ``*``; ``PATH#ADDRESS`` for one value (``sales.xlsx#Sheet1!B2.bold``,
    ``report.docx#headings``, ``a.json#items[0].price``, ``project#git.branch``), which ``value_is``, ``file_contains`` and
    ``file_lacks`` take; a window's title; a control's name; a program's name.
    ``text``: what must be there; for ``file_replaced`` what the file held at the start and, on a second line, what it holds
    in those places now; for ``file_appended`` what was added at its end; for ``same_as`` the path of the file **at the
    start** that it is a copy of, or the target again, if that stays; for ``names_are`` all names in a folder, one per line;
    for ``control_is`` a state, or ``not`` and a state; for ``page_at`` the address of the page in the window.
    """

    kind: TypedKind
    target: str = ""
    text: str = ""

    @property
    def stays(self) -> bool:
        """Whether the check is that files stay as they are: none is changed, moved, deleted or created."""
        return self.kind == "same_as" and self.target == self.text

    @property
    def words(self) -> str:
        """The condition in words, for prompts and people."""
        lines = self.text.split("\n")
        return {
            "file_exists": f"{self.target} exists",
            "file_absent": f"{self.target} does not exist",
            "file_is": f"{self.target} contains {self.text!r} and nothing else",
            "file_contains": f"{self.target} contains {self.text!r}",
            "file_lacks": f"{self.target} does not contain {self.text!r}",
            "file_replaced": f"{self.target} is what it was at the start, with {' replaced by '.join(map(repr, lines))}",
            "file_appended": f"{self.target} is what it was at the start, and then {self.text!r}",
            "same_as": f"{self.target} is {'as it' if self.stays else f'what {self.text}'} was at the start, byte by byte",
            "value_is": f"{self.target} is {self.text!r}",
            "names_are": f"{self.target} contains only {', '.join(self.text.splitlines())}",
            "window_shows": f"the window {self.target} shows {self.text!r}",
            "control_value": f"{self.target} is {self.text!r}",
            "control_is": f"{self.target} is {self.text}",
            "page_at": f"the window {self.target} is at {self.text}",
            "program_runs": f"{self.target} has a window",
            "clipboard_holds": f"the clipboard holds {self.text!r}",
        }[self.kind]


def in_state(text: str) -> tuple[str, bool]:
    """The state in the text of ``control_is``, and whether the control must be in it: False after ``not``."""
    state = " ".join(text.split()).casefold()
    return state.removeprefix(_NOT), not state.startswith(_NOT)


class Program(Frozen):
    """A program of the user's that checks a requirement. It is run in each state of the workspace; exit code 0 means that
    the requirement holds. ``text``: its source as it was when the run began."""

    name: str
    text: str


class Objection(Frozen):
    """An objection: a requirement contradicts a ``file`` that the task names, or that the run has made or changed. ``by``:
    the role that says so."""

    file: str
    why: str
    by: str


class Requirement(Frozen):
    """One thing that must hold.

    ``quotes``: the task's words that ask for it; ``says``: the requirement as one sentence. ``seen_by``: how it is verified:
    by typed checks, by a Verifier's probe of the files (``probe``) or of what windows showed and pages sent (``screen``), by
    a model's judgement (``reading``), or from the answer. ``files``: paths and patterns that may change for it; any other
    change is a mistake.
    """

    id: str
    says: str
    quotes: tuple[str, ...] = ()
    seen_by: SeenBy = "probe"
    files: tuple[str, ...] = ()
    checks: tuple[TypedCheck, ...] = ()
    program: Program | None = Field(default=None, exclude_if=lambda program: program is None)
    stated: bool = Field(default=False, exclude_if=lambda stated: not stated)
    """Whether the user stated it before the run: then only they may contest or reword it."""
    exact: bool = Field(default=False, exclude_if=lambda exact: not exact)
    """Whether its check says all that its files hold, as that of a shipped skill does: then it must notice each mistake."""
    stays: bool = False
    """Whether it holds before anything is done and must go on holding: something is kept, or must never happen."""
    objection: Objection | None = Field(default=None, exclude_if=lambda objection: objection is None)
    amended: str = Field(default="", exclude_if=lambda said: not said)
    """What the writer decided about the objection, before anything was checked: kept, or reworded and why."""
    contested: str = Field(default="", exclude_if=lambda why: not why)
    """Which role objects that the task does not ask for this, and why. The requirement then counts as not checked."""
    heard: str = Field(default="", exclude_if=lambda said: not said)
    """The writer's response: kept or reworded. If it is contested again, it counts as not checked; nobody is asked again."""
    rechecked: str = Field(default="", exclude_if=lambda said: not said)
    """What the Verifier said, before the writer was asked, about whether its check judged the work correctly."""
    reworded: bool = Field(default=False, exclude_if=lambda so: not so)
    """Whether its writer made its wording or its check less strict after the work: then only a person can confirm it."""

    @property
    def probed(self) -> bool:
        """Whether a Verifier's probe checks it. That includes an answer that is computed from files."""
        return self.seen_by in PROBED or (self.seen_by == "answer" and bool(self.files))

    @property
    def how(self) -> str:
        """How the requirement is verified, in words for people."""
        if self.program is not None:
            return f"checked by your program {self.program.name}"
        if self.seen_by == "checks" and self.checks:
            return "; ".join(check.words for check in self.checks)
        return SEEN_BY[self.seen_by]


class Consent(Frozen):
    """An order of the user's for something that would otherwise need approval.

    ``kind``: ``send`` something on a page or host, ``withdraw`` an entry there (delete, cancel, void it), ``remove`` (or
    overwrite) everything at a path or pattern, or only ``replace`` its content. ``where``: that page, host or path as the
    user names it, '' if they do not; ``texts``: the task's words for what is sent in fields, or for the entry to withdraw;
    ``files``: files that the task names as the source of further values, and ``found``: their content at the start;
    ``pages``: workspace files that ``where`` stood for then; ``paths``: what a name to remove stood for then, if that is not
    the path itself; ``quotes``: the user's words that order it; ``when``: the words that tie the order to a condition or a
    later time, '' for at once.
    """

    kind: Literal["send", "withdraw", "remove", "replace"]
    where: str
    texts: tuple[str, ...] = ()
    files: tuple[str, ...] = Field(default=(), exclude_if=lambda files: not files)
    found: str = Field(default="", exclude_if=lambda found: not found)
    pages: tuple[str, ...] = Field(default=(), exclude_if=lambda pages: not pages)
    paths: tuple[str, ...] = Field(default=(), exclude_if=lambda paths: not paths)
    quotes: tuple[str, ...] = ()
    when: str = Field(default="", exclude_if=lambda when: not when)

    @property
    def on_page(self) -> bool:
        return self.kind in ("send", "withdraw")

    @property
    def words(self) -> str:
        """The consent in one line, for people."""
        texts = (*self.texts, *(f"what {file} says" for file in self.files))
        told = f" ({', '.join(texts)})" if texts else ""
        if not self.where:
            return " ".join(self.quotes)
        does = {
            "send": "send once on",
            "withdraw": "take back one entry on",
            "remove": "remove or replace",
            "replace": "change",
        }[self.kind]
        told += f", {self.when!r}" if self.when else ""
        because = f", because you wrote: {' ... '.join(map(repr, self.quotes))}" if self.quotes else ""
        return f"may {does} {self.where}{told}{because}"


class Contract(Frozen):
    """Everything that must hold. ``context``: parts of the task that ask for nothing; ``question``: what the user wants to
    know, '' if nothing; ``missed``: parts of the task that the contract does not cover; they count as not checked."""

    requirements: tuple[Requirement, ...] = ()
    context: tuple[str, ...] = ()
    question: str = ""
    missed: tuple[str, ...] = ()
    consents: tuple[Consent, ...] = Field(default=(), exclude_if=lambda consents: not consents)
    asked: tuple[Consent, ...] = Field(default=(), exclude_if=lambda asked: not asked)
    """``consents``: orders that consent to something; ``asked``: orders that do not. Only in contracts of older runs: now a
    separate role reads them (``events.ConsentRead``)."""
    by: Literal["model", "human", "user"] = "model"
    """Who wrote it. ``human``: a person, in the writer's place; ``user``: it is only what the user stated before the run."""
    whole: bool = Field(default=False, exclude_if=lambda whole: not whole)
    """Whether the user wrote all of it, so that no model adds to it."""

    def asking(self, question: str) -> Contract:
        """This contract with a question, whose answer is a requirement like any other."""
        says = f"The user is told: {question}"
        told = Requirement(id=str(len(self.requirements) + 1), says=says, seen_by="answer")
        return self.model_copy(update={"question": question, "requirements": (*self.requirements, told)})

    @property
    def standing(self) -> tuple[Requirement, ...]:
        """The uncontested requirements."""
        return tuple(each for each in self.requirements if not each.contested)

    @property
    def asks_only(self) -> bool:
        """Whether the task only asks for an answer."""
        return bool(self.question) and all(each.seen_by == "answer" or each.stays for each in self.requirements)

    @property
    def settled_by_user(self) -> bool:
        """Whether the user alone stated the requirements and no Verifier is asked. Then not every change in the files that
        the requirements name needs to be noticed by a check."""
        return self.by == "user" and not any(each.probed for each in self.standing)

    @property
    def permits(self) -> str:
        """What may change, as a sentence for people."""
        files = self.files
        return f"Of the files only {', '.join(files)} may change." if files else "No file may change."

    @property
    def files(self) -> tuple[str, ...]:
        """The paths and patterns of all files that may change."""
        targets = (check.target.partition("#")[0] for r in self.requirements for check in r.checks if _of_files(check))
        named = (path for r in self.requirements if r.seen_by != "answer" for path in r.files)
        return tuple(dict.fromkeys((*named, *targets)))


def _of_files(check: TypedCheck) -> bool:
    return check.kind not in OF_THE_SCREEN


class Proof(Frozen):
    """The evidence for one requirement. ``holds``: None if it could not be checked. ``by``: who judged it. ``already``: it
    held before anything was done, and so proves nothing. ``found``: what was observed, in words."""

    requirement: str
    says: str
    holds: bool | None
    by: Literal["rules", "probe", "judge", "human", ""] = ""
    already: bool = False
    unkept: bool = Field(default=False, exclude_if=lambda unkept: not unkept)
    """Everything was sent, but nothing verified that it was saved."""
    found: str = ""
    reworded: bool = Field(default=False, exclude_if=lambda so: not so)
    """Whether the requirement was reworded after the work; a person must then confirm it."""

    @property
    def proven(self) -> bool:
        return self.holds is True and not self.already and not self.reworded

    @property
    def words(self) -> str:
        """The proof in one line, for people and prompts."""
        seen = f" ({self.found})" if self.found else ""
        if self.already:
            return f"{self.says}: it was so before anything was done{seen}"
        if self.reworded and self.holds:
            return f"{self.says}: yes, but reworded after the work, so that a person has to confirm it{seen}"
        return f"{self.says}: {'yes' if self.holds else 'no' if self.holds is False else 'not checked'}{seen}"


TrialKind = Literal[
    "missing",
    "as before",
    "undone",
    "altered",
    "left out",
    "formatting",
    "replaced",
    "damaged",
    "mistake",
    "sent",
    "shown",
    "input",
]
_TRIALS: dict[TrialKind, str] = {
    "altered": "with a value changed",
    "left out": "with a part left out",
    "undone": "with an edit undone",
    "missing": "without a file",
    "as before": "with a file as it was",
    "formatting": "with formatting as it was",
    "replaced": "with other content",
    "damaged": "with a part damaged",
    "mistake": "with a typical mistake",
    "sent": "with something else sent",
    "shown": "with something else shown",
    "input": "with an input changed",
}


class Strength(Frozen):
    """How strong a proof is. ``tried``: the number of spoiled copies of the result that the checks should reject, by kind;
    they rejected all but the ``loose`` ones; ``whole``: changed files that could only be spoiled as a whole."""

    tried: dict[TrialKind, int] = Field(default_factory=dict[TrialKind, int])
    whole: tuple[str, ...] = ()
    loose: tuple[str, ...] = Field(default=(), exclude_if=lambda loose: not loose)
    """Spoiled copies that none of the user's own requirements rejected, in words."""
    unread: tuple[str, ...] = Field(default=(), exclude_if=lambda unread: not unread)
    """Where the user's own requirements check only that a file exists, though it has content. One sentence each."""

    @property
    def weak(self) -> bool:
        """Whether the user's own requirements accepted a spoiled copy, or did not look into a new file."""
        return bool(self.loose or self.unread)

    @property
    def words(self) -> str:
        """The strength in one sentence, for people; '' if nothing was tried."""
        if not (count := sum(self.tried.values())):
            return ""
        kinds = ", ".join(f"{self.tried[kind]} {words}" for kind, words in _TRIALS.items() if self.tried.get(kind))
        whole = f"; {', '.join(self.whole[:3])} could only be spoiled as a whole" if self.whole else ""
        copies = "a copy of the result that was" if count == 1 else f"{count} copies of the result that were"
        tried = f"to see whether the check can fail, it was also run on {copies} spoiled on purpose ({kinds})"
        if not self.loose:
            return f"{tried}: it found {'it' if count == 1 else 'each of them'} wrong{whole}"
        passed = "it" if count == 1 else f"{len(self.loose)} of them"
        return f"{tried}: it accepted {passed}, such as: {self.loose[0]}{whole}"


class Proven(Frozen):
    """The result of a proof. ``unnoticed``: changes that could be undone or altered without any requirement failing, so that
    nothing shows whether they are right."""

    proofs: tuple[Proof, ...] = ()
    unnoticed: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    """Paths that changed though no requirement mentions them."""
    unordered: tuple[str, ...] = Field(default=(), exclude_if=lambda done: not done)
    """Actions that no part of the task asks for, according to the Verifier. One sentence each."""
    incidental: tuple[str, ...] = Field(default=(), exclude_if=lambda told: not told)
    """Incidental requests of pages and changes of files, which the task need not mention."""
    unfinished: tuple[str, ...] = Field(default=(), exclude_if=lambda left: not left)
    """What was left on the screen: unsaved changes, dialogs. One sentence each."""
    program: str = ""
    """Blob of the Verifier's code, '' if none was needed."""
    states: int = 0
    """The number of workspace states on which the checks were tried."""
    strength: Strength = Field(default=Strength(), exclude_if=lambda strength: strength == Strength())
    rejected: tuple[str, ...] = Field(default=(), exclude_if=lambda rejected: not rejected)
    """The spoiled copies that the checks rejected, in words; earlier versions did not record which."""

    @property
    def complete(self) -> bool:
        besides = self.unnoticed or self.strays or self.unordered or self.unfinished
        return bool(self.proofs) and all(proof.proven for proof in self.proofs) and not besides

    @property
    def unshown(self) -> tuple[Proof, ...]:
        """The proofs of changes for which nothing on screen shows whether they were saved."""
        return tuple(proof for proof in self.proofs if proof.unkept and not proof.by)

    @property
    def failing(self) -> tuple[Proof, ...]:
        return tuple(proof for proof in self.proofs if proof.holds is False)
