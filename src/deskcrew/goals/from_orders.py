"""A task's orders as checks, made before anything is executed and without a model.

An order whose every word is understood becomes checks, or nothing where it leaves nothing to check: a file that is read
or counted, what the run answers. Everything else becomes a deed that no rule can evaluate, so that such a run ends
unverified, never done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from deskcrew.english.orders import Order
from deskcrew.english.reading import orders_of
from deskcrew.excerpts import shorten
from deskcrew.observation import Observation
from deskcrew.texts import is_pattern
from deskcrew.verdict import EMPTY, FOUND_OUT, FROM, LACKS, LACKS_LINE, ONLY, RESULT, Check, Edit

LONGEST = 160
"""Maximum length of a sentence that is quoted as a check, in characters."""


def checks_of_task(
    task: str,
    before: Observation,
    planned: Iterable[Check] = (),
    question: str = "",
    programs: Collection[str] = (),
) -> tuple[Check, ...]:
    """All checks of a task. ``planned``: what a planner expects; the task's words may add to it. ``question``: what the
    run answers at the end; if empty, questions in the task remain unanswered and become deeds. ``programs``: those that
    can be opened."""
    there = {entry.path + ("/" if entry.kind == "folder" else "") for entry in before.files}
    files = frozenset(entry.path for entry in before.files if entry.kind == "file")
    made = _Checks(files, answered=bool(question))
    for order in orders_of(task, there, programs, answered=bool(question)):
        made.add(order)
    wanted = (check for check in planned if not is_pattern(check.target))
    return tuple(dict.fromkeys((*wanted, *made.all())))


@dataclass
class _File:
    """What is ordered for one file. ``texts``: what is written or added; ``edits``: orders that change its content;
    ``lacks``: marks of what must be gone; ``exact``: whether every order for it is understood."""

    texts: list[str] = field(default_factory=list[str])
    edits: list[Order] = field(default_factory=list[Order])
    lacks: list[str] = field(default_factory=list[str])
    kind: str = ""
    exact: bool = True


@dataclass
class _Checks:
    """The checks of the orders read so far. ``files``: those that exist before the run; ``answered``: whether the run
    answers the task's question."""

    files: frozenset[str]
    answered: bool
    of: dict[str, _File] = field(default_factory=dict[str, _File])
    plain: list[Check] = field(default_factory=list[Check])
    deeds: list[str] = field(default_factory=list[str])
    pending: list[str] = field(default_factory=list[str])
    """Texts without a file so far: it is named when they are saved."""
    unsaved: str = ""
    """The sentence that orders them."""
    runs: dict[str, str] = field(default_factory=dict[str, str])
    """Programs to be run, with the sentences that order it."""
    current: str = ""
    """The file that was mentioned last."""
    found: bool = False
    """Whether an earlier clause had something found out, which "it" then refers to."""
    asked: bool = False
    """Whether a question was read that the run answers; "it" may then refer to its subject."""

    def add(self, order: Order) -> None:
        """Adds what an order wants; where that refers to nothing known, as where it is not understood, only what is
        certain about it: a file to be made must exist, a file to be changed must differ."""
        self.asked = self.asked or (self.answered and order.asks)
        self.found = self.found or order.finds
        did = _KINDS.get(order.kind)
        if did is not None and did(self, order):
            return
        self.deeds.append(order.sentence)
        names = [self.path(name) for name in order.files]
        for name in names:
            if name in self.of:
                self.of[name].exact = False
        new = [name for name in names if name not in self.files and name not in self.of]
        if new and order.makes:
            self.plain += [Check(kind="file_exists", target=name) for name in new]
        elif len(names) == 1 and names[0] in self.files and order.changes:
            self.plain.append(Check(kind="changed_since_start", target=names[0]))
        self.current = names[-1] if names else self.current

    def ask(self, order: Order) -> bool:
        """What the run answers leaves nothing to check: the answer has its source."""
        self.current = self.path(order.name) if order.name else self.current
        return True

    def open(self, order: Order) -> bool:
        name = self.path(order.name) if order.name else ""
        if name and name not in self.files and name not in self.of:
            return False
        self.plain.append(Check(kind="opened", target="".join(order.what), text=name))
        self.current = name or self.current
        return True

    def visit(self, order: Order) -> bool:
        self.plain.append(Check(kind="opened", text=order.what[0]))
        return True

    def doubted(self, order: Order) -> bool:
        """Of a sentence with a condition or an exception nothing is certain."""
        self.deeds.append(order.sentence)
        return True

    def path(self, name: str) -> str:
        """The path that ``name`` refers to: itself, or the only file of that name in a folder."""
        found = [path for path in self.files if path.rpartition("/")[2] == name]
        return found[0] if name not in self.files and len(found) == 1 else name

    def _file(self, name: str) -> _File:
        self.current = name
        return self.of.setdefault(name, _File())

    def write(self, order: Order) -> bool:
        name = self.path("/".join((*order.folders, order.name)) if order.name else "")
        if not name:
            self.pending += order.what
            self.unsaved = order.sentence
            return bool(order.what)
        texts = [*order.what] or [*self.pending]
        if order.what:
            self.pending = []
        about = self._file(name)
        about.kind = about.kind or "write"
        if texts:
            about.texts += texts
            self.pending = []
        elif self.found and name not in self.files:
            about.texts.append(FOUND_OUT)
        else:
            return False
        return True

    def save(self, order: Order) -> bool:
        name = self.path("/".join((*order.folders, order.name)) if order.name else self.current)
        if self.pending and name:
            self._file(name).texts += self.pending
            self.of[name].kind = self.of[name].kind or "write"
            self.pending = []
        elif any(check.target.startswith(f"{name}!") for check in self.plain):
            pass  # its expected content is known
        elif name in self.files and name not in self.of:
            self.plain.append(Check(kind="changed_since_start", target=name))
        elif order.name and name not in self.of:
            self.plain.append(Check(kind="file_exists", target=name))
            return False
        return bool(name)

    def edit(self, order: Order) -> bool:
        name = self.path(order.name or self.current)
        if not name:
            self.pending += order.what if order.kind == "append" else ()
            self.unsaved = order.sentence
            return order.kind == "append"
        about = self._file(name)
        about.kind = "edit" if name in self.files else about.kind or "write"
        if order.kind == "append":
            about.texts += order.what
        elif order.kind == "replace":
            about.texts.append(order.what[1])
            about.lacks.append(f"{LACKS}{order.what[0]}")
        else:
            about.lacks.append(f"{LACKS_LINE if order.whole_line else LACKS}{order.what[0]}")
        about.edits.append(order)
        about.exact = about.exact and (_edit(order) is not None or RESULT in order.what)
        return True

    def copy(self, order: Order) -> bool:
        named = [*order.files, *order.folders]
        sources, last = [self.path(each) for each in named[:-1]], named[-1]
        if not sources or (len(sources) > 1 and not order.folders):
            return False
        for source in sources:
            target = f"{last}/{source.rpartition('/')[2]}" if order.folders else last
            if (about := self.of.get(source)) is not None:
                if about.edits:  # the difference can no longer be checked
                    self.deeds.append(order.sentence)
                self.of[target] = _File([*about.texts], [], [*about.lacks], "write", about.exact and not about.edits)
                if order.kind == "move":
                    del self.of[source]
            elif source in self.files:
                self.plain.append(Check(kind="same_as", target=target, text=source))
            else:
                return False
            if order.kind == "move":
                self.plain.append(Check(kind="file_absent", target=source))
            self.current = target
        return True

    def delete(self, order: Order) -> bool:
        for name in map(self.path, order.files):
            if (about := self.of.pop(name, None)) is not None:  # its content can no longer be checked
                self.deeds += [_valued("file_contains", name, text).words for text in about.texts]
            self.plain.append(Check(kind="file_absent", target=name))
        self.plain += [Check(kind="file_absent", target=name) for name in order.folders]
        return True

    def folder(self, order: Order) -> bool:
        self.plain += [Check(kind="file_exists", target=f"{name}/") for name in order.folders]
        return True

    def empty(self, order: Order) -> bool:
        self.plain.append(Check(kind="file_exists", target=order.name, text=EMPTY))
        self.plain.append(Check(kind="nothing_else", target=order.name))
        return True

    def make(self, order: Order) -> bool:
        if not self.pending:
            self.plain.append(Check(kind="file_exists", target=order.name))
        self.current = order.name
        return True

    def unpack(self, order: Order) -> bool:
        name = self.path(order.name)
        self.plain.append(Check(kind="file_exists", target=f"{'/'.join((*order.folders, '*'))}", text=f"{FROM}{name}"))
        return name in self.files

    def cell(self, order: Order) -> bool:
        name = self.path(order.name or self.current)
        if name:
            self.plain.append(_valued("cell_equals", f"{name}!{order.cell}", order.what[0]))
            self.current = name
        return bool(name)

    def clipboard(self, order: Order) -> bool:
        self.plain.append(_valued("clipboard_holds", "", order.what[0]))
        return True

    def window(self, order: Order) -> bool:
        *title, value = order.what
        self.plain.append(_valued("window_shows", "".join(title), value))
        return True

    def control(self, order: Order) -> bool:
        self.plain.append(_valued("control_value", order.what[0], order.what[-1]))
        return True

    def exit(self, order: Order) -> bool:
        name = order.name or self.current
        self.plain.append(Check(kind="exit_code", target=name, text=order.what[-1]))
        self.runs.pop(name, None)  # its exit code is the check
        return bool(name)

    def run(self, order: Order) -> bool:
        self.current = order.name
        self.runs[order.name] = order.sentence
        return True

    def source(self, order: Order) -> bool:
        """What something is made from needs no check of its own, if it exists; the result is checked."""
        return self.path(order.files[0]) in self.files

    def looks(self, order: Order) -> bool:
        """Reading or counting leaves nothing to check, if the files exist."""
        self.current = self.path(order.name)
        return all(self.path(name) in self.files or self.path(name) in self.of for name in order.files)

    def search(self, order: Order) -> bool:
        """Searching for what was asked before leaves nothing to check: the answer has its source."""
        return self.answered and self.asked

    def all(self) -> tuple[Check, ...]:
        gone = {check.target for check in self.plain if check.kind == "file_absent"}
        found = [check for check in self.plain if check.kind == "file_absent" or check.target not in gone]
        for name, about in self.of.items():
            found += self._of_file(name, about)
        # Text that is written to no file is typed somewhere, which no rule can check.
        told = (*self.deeds, *self.runs.values(), *((self.unsaved,) if self.pending else ()))
        return (*found, *(deed(each) for each in dict.fromkeys(told)))

    def _of_file(self, name: str, about: _File) -> Iterator[Check]:
        if about.kind == "write" and name not in self.files:
            yield Check(kind="file_exists", target=name)
        for text in about.texts:
            if text == FOUND_OUT:
                yield Check(kind="changed_since_start", target=name, text=FOUND_OUT)
            else:
                yield _valued("file_contains", name, text)
        texts = [text for text in about.texts if text != FOUND_OUT]
        if about.kind == "edit":
            left = (each for each in about.lacks if not any(each.removeprefix(LACKS) in text for text in texts))
            yield from (Check(kind="changed_since_start", target=name, text=text) for text in left)
            known = about.edits if about.exact and RESULT not in texts else []
            edits = tuple(edit for order in known if (edit := _edit(order)) is not None)
            words = f"{ONLY}{'. '.join(order.words for order in about.edits)}" if edits else ""
            yield Check(kind="changed_since_start", target=name, text=words, edits=edits)
        elif texts and name not in self.files and about.exact:
            yield Check(kind="nothing_else", target=name)


_KINDS: dict[str, Callable[[_Checks, Order], bool]] = {
    "write": _Checks.write, "append": _Checks.edit, "replace": _Checks.edit, "drop": _Checks.edit, "save": _Checks.save,
    "copy": _Checks.copy, "move": _Checks.copy, "delete": _Checks.delete, "folder": _Checks.folder, "empty": _Checks.empty,
    "make": _Checks.make, "unpack": _Checks.unpack, "cell": _Checks.cell, "clipboard": _Checks.clipboard,
    "window": _Checks.window, "control": _Checks.control, "exit": _Checks.exit, "run": _Checks.run, "source": _Checks.source,
    "look": _Checks.looks, "compute": _Checks.looks, "search": _Checks.search, "ask": _Checks.ask, "open": _Checks.open,
    "visit": _Checks.visit, "doubted": _Checks.doubted,
}  # fmt: skip


def _valued(kind: str, target: str, value: str) -> Check:
    origin = "evidence" if value == RESULT else "task"
    return Check.model_validate({"kind": kind, "target": target, "text": value, "origin": origin})


def _edit(order: Order) -> Edit | None:
    """The edit of a text that an order means; None if what it inserts is only worked out later, or it is not said what
    becomes of the rest."""
    if order.kind in ("append", "write"):
        known = order.what and RESULT not in order.what
        return Edit(kind="add", texts=order.what, place=order.place, whole_line=order.whole_line) if known else None
    if order.kind == "replace" and len(order.what) == 2:
        return Edit(kind="replace", texts=order.what[1:], old=order.what[0])
    return Edit(kind="drop", old=order.what[0]) if order.kind == "drop" and order.whole_line else None


def deed(words: str) -> Check:
    """That what these words want was done, which no rule can say."""
    return Check(kind="deed", text=shorten(words.strip(" ;."), LONGEST))
