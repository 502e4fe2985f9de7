"""The facets of an operation on a desktop: what it presses, what it types, and the effect of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from deskcrew.actions.action import PRESSES, Action, Scene
from deskcrew.actions.applications import OPEN_APPLICATION
from deskcrew.actions.code import RUN_PYTHON_CODE, RUN_SHELL
from deskcrew.actions.files import DELETE_FILE, LIST_FILES, READ_FILE
from deskcrew.actions.windows import CLICK_INPUT, find_window
from deskcrew.environments.ocr import ROLE
from deskcrew.environments.pointing import Aim, aims_of, controls_at, painted, target_of, words_at
from deskcrew.environments.workspace import INSIDE
from deskcrew.errors import ActionError
from deskcrew.facts.events import YOURS, DesktopKind, Operation
from deskcrew.facts.loopback import on_this_machine
from deskcrew.facts.observation import Control, FileEntry, Observation, Window
from deskcrew.guard.commands import JudgedRisk, judge_command
from deskcrew.guard.facets import Facets, PathFacet, Place, Target, TextFacet
from deskcrew.guard.patterns import normal_host, normal_path
from deskcrew.guard.pressing import Around, button_for, doubtful, entering, painting, pressing, takes_money
from deskcrew.guard.surface import PRESSED, Surface, Typed, pressable, strings, submits, surface_of, tab_moves, typed_by
from deskcrew.guard.traces import Trace, code_address, command_trace, file_address, hosts_in, lines_of
from deskcrew.guard.typed import judge_typed_command
from deskcrew.guard.words import Shortcut, Words

_MAX_PATH = 4096
_NO_TEXT = frozenset({"title", "button", "app_name", "file", "path", "option"})
"""Parameters whose text is not entered anywhere."""
_ONE_LINE = frozenset({"text field", "combo box"})
"""Fields of a program's own window that may take the name of a server."""


def on_desktop(operation: Operation, action: Action, scene: Scene, words: Words, kind: DesktopKind) -> Facets:
    """The facets of an operation on the desktop. Its parameters are as parsed by the action."""
    place: Place = "real" if kind in YOURS else "virtual"  # with no desktop at all the executor refuses
    observation, params = scene.observation, operation.params
    control = target_of(operation, observation)
    window = _window(scene, control, params, aims_of(operation, observation))
    aims = _Aims(operation, action, scene, control, window, words)
    apps = tuple(dict.fromkeys(app for app in (str(params.get("app_name") or ""), window.app if window else "") if app))
    if action.risk == "read":
        return Facets(action.risk, place, apps=apps, targets=aims.targets())
    typed, surface = aims.typed, aims.surface
    file = _names_file(params, scene.workspace.root)
    trace = _trace(typed, surface, params, words, (INSIDE, scene.workspace.root.as_posix()), file=file)
    judged = aims.judged().worse(_judge_typed(typed, surface, words, observation.files))
    # Text with a link in it goes nowhere where it is only written.
    hosts, apart = trace.hosts if _goes_to(surface, params, control, window) else (), judged.risk
    page = _host_of(window)
    if hosts:
        judged = judged.worse(JudgedRisk("network", f"it goes to {', '.join(hosts)}"))
    started = _started(trace) if surface.runner else ()
    return Facets(
        risk=judged.risk,
        place="outside" if judged.outside else place,
        why=judged.why,
        actions=aims.amounts_to(),
        apps=tuple(dict.fromkeys((*apps, *started))),
        targets=aims.targets(),
        texts=trace.texts,
        paths=trace.paths,
        hosts=tuple(dict.fromkeys((*hosts, *page))),
        apart=apart,
        doubt=aims.doubt() if judged.risk in ("read", "write", "unknown") else "",
    )


class _Aims:
    """What an operation acts on, looked up once."""

    def __init__(
        self,
        operation: Operation,
        action: Action,
        scene: Scene,
        control: Control | None,
        window: Window | None,
        words: Words,
    ) -> None:
        self.operation, self.action, self.words = operation, action, words
        self.observation = scene.observation
        self.control, self.window = control, window
        self.page = _page_around(scene, window)
        self.typed = typed_by(action.gesture, operation.params, control, scene.observation.clipboard, words)
        self.surface = surface_of(control, window, words)
        app = window.app if window is not None else ""
        self.shortcuts: list[Shortcut] = (
            [s for s in words.shortcuts if s.fits(self.typed.keys, app)] if self.typed.keys else []
        )
        # Delete in a text field takes a letter away.
        if control is not None and "type" in control.operations:
            self.shortcuts = [s for s in self.shortcuts if not _only_deletes(self.typed.keys)]
        if (
            window is not None
            and window.url
            and not (control is not None and control.behind and "form" in control.behind.has)
        ):
            there = self.observation
            self.shortcuts = [s for s in self.shortcuts if not s.beside_button or button_for(s.names, there, window, words)]
        self.maybe = self._maybe_pressed(scene)

    def _maybe_pressed(self, scene: Scene) -> list[tuple[Control, str]]:
        """Controls that the operation may press without naming them, each with the reason."""
        if pointed := aims_of(self.operation, scene.observation):
            return _beside(pointed, scene.observation)
        if self.action.gesture == "press" or self.surface.terminal:
            return []
        there = pressable(scene.observation, self.window)
        keys = self.typed.keys
        if self.typed.wanders and tab_moves(self.control, self.surface):
            return [(c, f"Tab and Enter may press {c.name!r}") for c in there]
        if self.typed.enters and self.window is not None and self.window.dialog:
            # Enter presses a dialog's default button, which could be any of them.
            return [(c, f"Enter may press {c.name!r}") for c in there]
        letter = next(iter(keys - {"alt"}), "") if "alt" in keys and len(keys) == 2 else ""
        if len(letter) == 1:
            return [(c, f"Alt and {letter} may press {c.name!r}") for c in there if c.name.casefold().startswith(letter)]
        return []

    def judged(self) -> JudgedRisk:
        """The risk of what the operation presses, and the reason."""
        judged = JudgedRisk(self.action.risk)
        control, gesture, words = self.control, self.action.gesture, self.words
        if control is not None:
            if control.role == "password field" and gesture != "scroll":
                judged = judged.worse(JudgedRisk("credential", f"{control.name!r} is a password field"))
            # A focused button is pressed by keys; what is typed into a field named "Send to" sends nothing.
            if control.role in PRESSED:
                judged = judged.worse(pressing(control, words, self.page))
            if self._sends_form() and control.behind is not None:
                held = self.typed.added.strip() or (control.value or "").strip()
                judged = judged.worse(entering(control.behind, words, self.page, held))
            if gesture in PRESSES and control.role in PRESSED and not control.name.strip():
                judged = judged.worse(JudgedRisk("unknown", f"a {control.role} without a name"))
        for each in aims_of(self.operation, self.observation):
            judged = judged.worse(painting(each, self.observation, words))
        for name in strings(self.operation.params.get("path")) + strings(self.operation.params.get("option")):
            if risk := words.names.of(name).risk:
                judged = judged.worse(JudgedRisk(risk, f"{name!r}"))
        for other, why in self.maybe:
            if (risk := pressing(other, words, self.page).risk) != "read":
                judged = judged.worse(JudgedRisk(risk, why))
        for shortcut in self.shortcuts:
            if shortcut.risk is not None:
                keys = "+".join(sorted(self.typed.keys, key=lambda key: (len(key) == 1, key)))
                judged = judged.worse(JudgedRisk(shortcut.risk, f"{keys} does what {shortcut.names[0]!r} does"))
        if "delete" in self.typed.keys and (control is None or "type" not in control.operations):
            judged = judged.worse(JudgedRisk("destroy", "the Delete key outside a text field"))
        return judged

    def _sends_form(self) -> bool:
        """Whether it presses Enter in a field of a form, which sends the form."""
        behind = self.control.behind if self.control is not None else None
        within = behind is not None and behind.kind == "field" and "form" in behind.has
        return within and self.typed.enters and self.typed.keys != frozenset({"space"})

    def doubt(self) -> str:
        """Why the operation cannot be shown to be harmless; '' if it can, or if nothing is pressed."""
        pressed = self.action.gesture in PRESSES or self.typed.enters
        if self.control is None or not pressed:
            return ""
        return doubtful(self.control, self.observation, self.window, self.words)

    def targets(self) -> tuple[Target, ...]:
        """The controls that it operates, each by name and role."""
        params, found = self.operation.params, list[Target]()
        option = tuple((name, "option") for name in strings(params.get("option")))
        if self.control is not None and self.action.gesture != "menu":
            found.append(Target(self.control.name, self.control.role, option))
        if path := strings(params.get("path")):
            above = tuple((name, "menu") for name in path[:-1])
            found.append(Target(path[-1], "menu item", (*above, (" > ".join(path), "menu item"))))
        if (title := params.get("title")) is not None and self.window is not None:
            found.append(Target(str(title) or self.window.title, "window", ((self.window.title, "window"),)))
        for each in aims_of(self.operation, self.observation):
            if painted(each.control):
                found += [Target(text, ROLE) for text in words_at(each.point, self.observation)]
        found += [Target(other.name, other.role) for other, _ in self.maybe]
        found += [Target(s.names[0], None, tuple((name, None) for name in s.names[1:])) for s in self.shortcuts]
        return tuple(dict.fromkeys(found))

    def amounts_to(self) -> tuple[str, ...]:
        """Other actions with the same effect as this operation."""
        typed, surface, found = self.typed, self.surface, list[str]()
        if surface.terminal and (typed.anything or submits(typed, surface)):
            found.append(RUN_SHELL.name)
        if surface.runner and typed.anything:
            found.append(OPEN_APPLICATION.name)
        if surface.address:
            for text in _put_in(typed, surface):
                found += [RUN_PYTHON_CODE.name, RUN_SHELL.name] if code_address(text) else []
                found += [READ_FILE.name, LIST_FILES.name] if file_address(text) else []
        if self.words.windows.file_managers and self._in_file_manager() and self.judged().risk == "destroy":
            found.append(DELETE_FILE.name)
        if self.action.gesture in PRESSES:
            found.append(CLICK_INPUT.name)
        found += [shortcut.action for shortcut in self.shortcuts if shortcut.action]
        return tuple(dict.fromkeys(found))

    def _in_file_manager(self) -> bool:
        app = self.window.app.casefold() if self.window is not None else ""
        return any(part in app for part in self.words.windows.file_managers)


def _beside(pointed: Sequence[Aim], observation: Observation) -> list[tuple[Control, str]]:
    """Other controls at the points that an operation acts on, because it is not certain which control lies on top."""
    there = (each for aim in pointed for each in controls_at(aim.point, observation) if each.role in PRESSED)
    first = pointed[0].control
    return [(each, f"{each.role} {each.name!r} is at that point") for each in dict.fromkeys(there) if each != first]


def _only_deletes(keys: frozenset[str]) -> bool:
    return "delete" in keys and keys <= {"delete", "shift", "ctrl"}


def _page_around(scene: Scene, window: Window | None) -> Around:
    """The page that a control is on. A page of this machine or the workspace is the user's own: it sells them nothing,
    unless it asks for money."""
    url = window.url if window is not None else ""
    own = url.startswith("file:") or on_this_machine(url)
    return Around(own=own, money=takes_money(scene.observation, window), typed=scene.typed)


def _host_of(window: Window | None) -> tuple[str, ...]:
    """The host of the page in a window: what is done in the page is done on that host."""
    host = urlsplit(window.url).hostname if window is not None and window.url else None
    return (normal_host(host),) if host else ()


def _put_in(typed: Typed, surface: Surface) -> tuple[str, ...]:
    """The text that is entered, and the text that the field then contains."""
    texts = [typed.added] if typed.added.strip() else []
    joined = surface.standing + typed.added
    if surface.standing.strip() and not typed.clears and (typed.added.strip() or typed.enters):
        texts.append(joined)
    return tuple(dict.fromkeys(texts))


def _goes_to(surface: Surface, params: Mapping[str, object], control: Control | None, window: Window | None) -> bool:
    """Whether a host in a text is a destination: an address is opened, or typed where programs take one."""
    if params.get("url") or surface.address or surface.terminal or surface.runner:
        return True
    in_page = window is not None and bool(window.url)
    return not in_page and control is not None and control.role in _ONE_LINE


def _names_file(params: Mapping[str, object], root: Path) -> bool:
    """Whether an address names a file of the workspace, which is then opened: ``page.html`` could also be a host."""
    name = str(params.get("url") or "").strip()
    if not name or "\0" in name or len(name) > _MAX_PATH:
        return False
    try:
        file = (root / name).resolve()
        return file.is_relative_to(root.resolve()) and file.is_file()
    except OSError:
        return False


def _trace(
    typed: Typed, surface: Surface, params: Mapping[str, object], words: Words, roots: tuple[str, ...], *, file: bool
) -> Trace:
    """The hosts and paths in what is typed, pasted or run. ``file``: the address is that of a file."""
    trace = Trace()
    for name, value in params.items():
        if name not in _NO_TEXT and not (name == "keys" and not isinstance(value, str)):
            for text in strings(value):
                address = not file if name == "url" else surface.address and not surface.terminal
                trace += Trace(lines_of(text), hosts=hosts_in(text, address=address))
    for text in _put_in(typed, surface):
        if surface.terminal:
            trace += command_trace(text, words, roots)
            continue
        joined = text != typed.added
        # An address is one line; in a longer text what was there before goes nowhere.
        address = surface.address and not (joined and "\n" in surface.standing)
        trace += Trace(
            texts=_around(text, typed, surface) if joined else lines_of(text),
            hosts=hosts_in(text if address else typed.added, address=address),
            paths=_paths(text, surface, roots),
        )
    return trace


def _around(joined: str, typed: Typed, surface: Surface) -> tuple[TextFacet, ...]:
    """The field's text with what is typed at its end: it can forbid an operation, but only new text can allow it."""
    last = joined.splitlines()[-1].strip() if joined.strip() else ""
    if typed.added.strip():
        return (TextFacet(typed.added.strip(), (last,)),) if "\n" not in typed.added.strip() else lines_of(joined)
    # Enter alone sends off what stands in a single line; in a text it only breaks the line.
    return (TextFacet(last),) if last and (surface.address or surface.paths) else ()


def _paths(text: str, surface: Surface, roots: tuple[str, ...]) -> tuple[PathFacet, ...]:
    plain = text.strip()
    if not plain or "\n" in plain or len(plain) > _MAX_PATH:
        return ()
    if address := file_address(plain):
        return (PathFacet(normal_path(address, roots)),)
    if surface.paths or (surface.address and plain.startswith(("/", "~/"))):
        return (PathFacet(normal_path(plain, roots)),)
    return ()


def _judge_typed(typed: Typed, surface: Surface, words: Words, files: Sequence[FileEntry]) -> JudgedRisk:
    judged = JudgedRisk("read")
    if surface.terminal:
        return judged.worse(_in_terminal(typed, surface, words, files))
    if surface.address:
        for text in _put_in(typed, surface):
            if code := code_address(text):
                judged = judged.worse(JudgedRisk("unknown", f"a {code}: address runs as code"))
    return judged


def _in_terminal(typed: Typed, surface: Surface, words: Words, files: Sequence[FileEntry]) -> JudgedRisk:
    def judge(command: str) -> JudgedRisk:
        return judge_command(command, words).worse(judge_typed_command(command, words, files))

    judged = judge(typed.text) if typed.text.strip() else JudgedRisk("write")
    if typed.pastes:
        judged = judged.worse(judge(typed.pasted) if typed.pasted else JudgedRisk("unknown", "what is pasted is unknown"))
    if submits(typed, surface):
        # What stands on the line may have been typed in pieces, each of them harmless.
        # Whether a space stands between them is not seen.
        for between in ("", " ") if surface.standing and typed.added else ("",):
            judged = judged.worse(judge(surface.standing + between + typed.added))
        if not typed.added.strip() and not surface.standing.strip():
            judged = judged.worse(JudgedRisk("unknown", "Enter in a terminal runs what is typed there"))
    return judged


def _started(trace: Trace) -> tuple[str, ...]:
    """The programs that a dialog for running commands is told to start."""
    return tuple(dict.fromkeys(text.own.split()[0].rpartition("/")[2] for text in trace.texts if text.own.split()))


def _window(scene: Scene, control: Control | None, params: Mapping[str, object], pointed: Sequence[Aim]) -> Window | None:
    if pointed:
        return pointed[0].window
    if title := params.get("title"):
        try:
            return find_window(scene.observation.windows, str(title))
        except ActionError:
            return None
    if control is not None:
        return scene.observation.window(control.window)
    return scene.observation.active_window
