"""The checks of ``deskcrew doctor``. Each check is a function of the settings that returns findings, and none may hang."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from deskcrew.errors import (
    DeskcrewError,
    EnvironmentFailure,
    JournalError,
    ModelFailure,
    SearchFailure,
    UsageError,
    extra_installed,
)
from deskcrew.facts.system_packages import install
from deskcrew.settings import Settings
from deskcrew.ways_in.report.text import counted, size

State = Literal["ok", "note", "missing"]
SECONDS = 15.0
"""The maximum seconds of a check."""
BROWSER = 300 << 20
"""The memory that a browser with a simple page uses, in bytes."""
DESKTOP = ("jeepney", "playwright", "xcffib")
"""Modules that the extra ``desktop`` installs."""
LITTLE = 1 << 30
"""Free bytes below which runs are likely to fill the disk."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What a check found. ``state``: ``missing`` if a run with these settings cannot work without it, ``note`` if it is good
    to know; ``mend``: a command that fixes it, '' if none; ``packages``: system packages that would fix it."""

    name: str
    state: State
    text: str
    mend: str = ""
    packages: tuple[str, ...] = ()

    @classmethod
    def lacking(cls, name: str, state: State, text: str, *packages: str) -> CheckFinding:
        """A finding that installing these system packages fixes."""
        return cls(name, state, text, install(*packages), packages)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Check = Callable[[Settings], CheckFinding]


def examine(settings: Settings) -> list[CheckFinding]:
    """All checks, one after the other, each limited in time."""
    everywhere: tuple[Check, ...] = (python, system, data_folder, journal, pictures, video_and_sound)
    linux: tuple[Check, ...] = (sandbox, bounds, display_programs, desktop_limits, desks, watching, browser, session)
    models: tuple[Check, ...] = (local_library, local_weights, keys)
    here = linux if sys.platform == "linux" else ()
    wanted = (*everywhere, *here, *models, web_search, grounding, memory)
    return [bounded(check, settings) for check in wanted]


def bounded(check: Check, settings: Settings, *, limit: float = SECONDS) -> CheckFinding:
    """A check's finding; if the check fails or takes longer than ``limit`` seconds, a finding that says so."""
    found: list[CheckFinding] = []
    errors: list[OSError | DeskcrewError] = []

    def work() -> None:
        try:
            found.append(check(settings))
        except (OSError, DeskcrewError) as error:
            errors.append(error)

    # A daemon thread: a check that hangs must not keep the program from ending.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(limit)
    name = check.__name__.replace("_", " ")
    if found:
        return found[0]
    if errors:
        return CheckFinding(name, "missing", f"cannot be checked: {errors[0]}", getattr(errors[0], "hint", ""))
    if thread.is_alive():
        return CheckFinding(name, "missing", f"did not answer within {limit:g} s")
    raise RuntimeError(f"The check {name!r} failed; its traceback is above.")


def uses_local(settings: Settings) -> bool:
    return settings.model == "local" or settings.model.startswith("local:")


def python(settings: Settings) -> CheckFinding:
    """The interpreter."""
    return CheckFinding(
        "python", "ok", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})"
    )


def system(settings: Settings) -> CheckFinding:
    """The operating system, and what is supported on it."""
    name = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    if sys.platform == "linux":
        return CheckFinding("system", "ok", f"{name} {platform.release()}, {platform.machine()}")
    text = f"{name}: not supported yet, and untested. Reading runs should work (runs, log, show); running tasks needs Linux."
    mend = "Use WSL 2 or a Linux virtual machine." if sys.platform == "win32" else "Use a Linux virtual machine."
    return CheckFinding("system", "missing", text, mend)


def data_folder(settings: Settings) -> CheckFinding:
    """Whether the journal can be written, and how much room there is."""
    folder = settings.data
    there = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror}"
        return CheckFinding("data folder", "missing", text, "Name another: --data DIR or DESKCREW_DATA=DIR")
    free = shutil.disk_usage(there).free
    if free < LITTLE:
        return CheckFinding("data folder", "note", f"{folder}: only {size(free)} free; runs with screenshots need room")
    return CheckFinding("data folder", "ok", f"{folder}, {size(free)} free")


def journal(settings: Settings) -> CheckFinding:
    """Whether the journal's database and blobs can be reached, how much room they take, and which run is the largest."""
    from deskcrew.journal.database import shown
    from deskcrew.journal.holding import held
    from deskcrew.journal.store import Store, exists
    from deskcrew.ways_in.cli.runs import LARGE

    if not exists(settings):
        return CheckFinding("journal", "ok", "a file in the data folder; there are no runs yet")
    try:
        store = Store.of(settings)
        try:
            whole, runs = store.database.size(), held(store.database)
        finally:
            store.close()
    except JournalError as error:
        return CheckFinding("journal", "missing", str(error), error.hint)
    largest = max(runs, key=lambda run: runs[run].alone, default="")
    told = f", {size(whole)} for {counted(len(runs), 'run')}"
    if largest and runs[largest].alone > LARGE:
        told += f"; {largest} alone takes {size(runs[largest].alone)} (free it: deskcrew remove {largest})"
    places = (shown(settings.database), settings.blobs)
    where = " and ".join(place for place in places if place) or "a file in the data folder"
    return CheckFinding("journal", "ok", where + told)


def pictures(settings: Settings) -> CheckFinding:
    """Whether text in pictures and scanned pages can be read (OCR)."""
    from deskcrew.environments import ocr

    if ocr.available():
        return CheckFinding("text in pictures", "ok", "rapidocr is installed")
    return CheckFinding(
        "text in pictures", "note", "rapidocr is not installed; pictures and scans cannot be read", ocr.INSTALL
    )


def video_and_sound(settings: Settings) -> CheckFinding:
    """Whether video frames can be extracted, and speech recognised."""
    from deskcrew.actions.media import FFMPEG, recognises_speech

    name = "video and sound"
    if shutil.which(FFMPEG) is None:
        text = "ffmpeg is not installed; video and sound files cannot be read (crew mmac)"
        return CheckFinding(name, "note", text, install("ffmpeg"))  # 450 MB: not unless somebody asks for it
    if not recognises_speech():
        text = "ffmpeg is installed; pocketsphinx is not, and speech cannot be recognised (crew mmac)"
        return CheckFinding(name, "note", text, extra_installed("speech"))
    return CheckFinding(name, "ok", "ffmpeg and pocketsphinx are installed; English speech is recognised")


def browser(settings: Settings) -> CheckFinding:
    """Whether there is a browser for ``--desktop browser``."""
    from deskcrew.environments.browser.launch import program

    found = program()
    if found is None:
        return CheckFinding.lacking(
            "browser", "note", "Chromium is not installed; --desktop browser cannot be used", "chromium"
        )
    if "playwright" in _absent():
        text = f"{found}; playwright is not installed: --desktop browser cannot be used"
        return CheckFinding("browser", "note", text, extra_installed("browser"))
    return CheckFinding("browser", "ok", found)


def watching(settings: Settings) -> CheckFinding:
    """Whether a virtual desktop can be watched, and taken over, in the pages of ``deskcrew serve``."""
    from deskcrew.environments.linux.sandbox.needed import VIEWER

    found = shutil.which(VIEWER)
    if found is None:
        text = f"{VIEWER} is not installed; deskcrew serve can neither show a desktop live nor let you take it over"
        return CheckFinding.lacking("watching live", "note", text, VIEWER)
    return CheckFinding("watching live", "ok", found)


def sandbox(settings: Settings) -> CheckFinding:
    """Bubblewrap, user namespaces and seccomp: without them, no program of the crew is started."""
    from deskcrew.actions.sandbox import Sandbox
    from deskcrew.environments import confinement, syscalls

    reason = Sandbox.probe()
    if reason is None and confinement.scopes():
        return CheckFinding(
            "sandbox", "ok", f"bubblewrap works; seccomp filter and Landlock {confinement.landlock()} are in force"
        )
    if reason is None:
        text = "bubblewrap works, and the seccomp filter is in force; Landlock cannot block abstract sockets here, so with"
        return CheckFinding(
            "sandbox", "note", f"{text} --network programs can reach this machine's", "Linux 6.12 or newer can."
        )
    if shutil.which("bwrap") is None:
        return CheckFinding.lacking("sandbox", "missing", "bubblewrap is not installed", "bubblewrap")
    if absent := syscalls.why_not():
        return CheckFinding.lacking("sandbox", "missing", absent, "libseccomp2")
    return CheckFinding("sandbox", "missing", reason, namespaces_mend())


def namespaces_mend(read: Callable[[str], str | None] | None = None) -> str:
    """The command that allows user namespaces on this machine; or advice for containers, where only the host can."""
    read = read or _kernel_setting
    for name, forbidden in (
        ("kernel.unprivileged_userns_clone", "0"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1"),
        ("user.max_user_namespaces", "0"),
    ):
        if read(name) == forbidden:
            allowed = {"0": "1", "1": "0"}[forbidden] if name.startswith("kernel.") else "10000"
            return f"sudo sysctl -w {name}={allowed}"
    return "In a container: allow user namespaces there (for Docker: --security-opt seccomp=unconfined)."


def _kernel_setting(name: str) -> str | None:
    try:
        return (Path("/proc/sys") / name.replace(".", "/")).read_text().strip()
    except OSError:
        return None


def bounds(settings: Settings) -> CheckFinding:
    """What limits processes and memory of the programs that the crew runs."""
    from deskcrew.actions.sandbox import Sandbox

    held = Sandbox(Path(tempfile.gettempdir())).bounds()
    words = "; ".join(f"{name}: {by}" for name, by in held.items() if name != "isolation")
    return CheckFinding("program limits", "note" if "time only" in words else "ok", words)


def display_programs(settings: Settings) -> CheckFinding:
    """The programs that a virtual desktop consists of."""
    from deskcrew.environments.linux.sandbox.needed import missing_programs

    missing = missing_programs()
    if missing:
        text = f"not installed: {', '.join(missing)}; without them only --desktop none works"
        return CheckFinding.lacking("virtual desktop", "missing", text, *missing)
    if absent := _absent():
        text = f"not installed: {', '.join(absent)}; without them only --desktop none works"
        return CheckFinding("virtual desktop", "missing", text, extra_installed("desktop"))
    return CheckFinding("virtual desktop", "ok", "X server, window manager, session and accessibility bus are installed")


def _absent() -> list[str]:
    return [each for each in DESKTOP if importlib.util.find_spec(each) is None]


def desktop_limits(settings: Settings) -> CheckFinding:
    """What limits the programs of a virtual desktop."""
    from deskcrew.environments.linux.sandbox.kept import held_by

    held = held_by(settings.desktop)
    words = "; ".join(f"{name}: {by}" for name, by in held.items())
    return CheckFinding("desktop limits", "note" if held["processes"] == "nothing" else "ok", words)


def desks(settings: Settings, available: int | None = None) -> CheckFinding:
    """How many browsers or desktops the lanes of a run may have, and whether there is memory for them. ``available``: the
    free memory in bytes, None for what the machine reports."""
    counts, each = settings.desks, settings.desktop.memory
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if available is None else available
    text = (
        f"with --lanes up to {counts.browsers} browsers (each {size(BROWSER)} and what its pages need) or "
        f"{counts.virtual} virtual desktops (each at most {size(each)})"
    )
    if free >= max(counts.browsers * BROWSER, counts.virtual * each):
        return CheckFinding("lanes", "ok", text)
    mend = "To allow fewer, which lanes then share in turns: DESKCREW_DESKS__BROWSERS=1 DESKCREW_DESKS__VIRTUAL=1"
    return CheckFinding("lanes", "note", f"{text}; {size(free)} of memory is free now", mend)


def session(settings: Settings, environment: Mapping[str, str] | None = None) -> CheckFinding:
    """The user's own desktop session, which only ``--desktop real`` uses."""
    env = os.environ if environment is None else environment
    if _absent():
        return CheckFinding("your desktop", "note", "--desktop real needs the extra desktop", extra_installed("desktop"))
    from deskcrew.environments.linux.real import on_wayland, portals

    if on_wayland(env) and env.get("SWAYSOCK"):
        return _sway(env)
    if on_wayland(env):
        from deskcrew.environments.linux.bus.connection import unix_address

        bus = unix_address(env.get("DBUS_SESSION_BUS_ADDRESS", ""))
        offered = ", ".join(portals(bus)) if bus else ""
        text = "--desktop real does not work under it; a virtual desktop does"
        text = f"Wayland (its portal offers {offered or 'nothing for it'}): {text}"
        return CheckFinding(
            "your desktop", "note", text, "For --desktop real: log in to a session of sway or of X11 (Xorg)."
        )
    if env.get("DISPLAY"):
        return CheckFinding("your desktop", "ok", f"X11 on {env['DISPLAY']}: --desktop real can use it")
    return CheckFinding(
        "your desktop", "note", "none here (no screen): --desktop real does not work, a virtual desktop does"
    )


def _sway(variables: Mapping[str, str]) -> CheckFinding:
    """What a session of sway allows."""
    from deskcrew.environments.linux.real import lacking_on_sway
    from deskcrew.environments.linux.screen.sway import SwayDisplay

    if lacking := lacking_on_sway():
        return CheckFinding.lacking("your desktop", "note", f"sway: --desktop real needs {' and '.join(lacking)}", *lacking)
    try:
        with closing(SwayDisplay(variables)) as display:
            display.screenshot()
    except EnvironmentFailure as failure:
        return CheckFinding("your desktop", "note", f"sway: --desktop real does not work: {failure}", failure.hint)
    text = "its windows, pictures, keyboard, mouse and clipboard (what you do yourself cannot be recorded)"
    return CheckFinding("your desktop", "ok", f"sway: --desktop real can use {text}")


def local_library(settings: Settings) -> CheckFinding:
    """Whether the library that runs local models is installed."""
    if importlib.util.find_spec("xllamacpp") is not None:
        return CheckFinding("local models", "ok", "xllamacpp is installed")
    state: State = "missing" if uses_local(settings) else "note"
    return CheckFinding("local models", state, "xllamacpp is not installed", extra_installed("local"))


def local_weights(settings: Settings) -> CheckFinding:
    """Whether the local model's weights are on this machine."""
    from deskcrew.models.store import WeightStore

    name = settings.model.removeprefix("local:") if settings.model.startswith("local:") else ""
    if name.endswith(".gguf"):
        there = Path(name).expanduser().is_file()
        return CheckFinding("local weights", "ok" if there else "missing", name if there else f"file {name} does not exist")
    store = WeightStore(settings.models)
    try:
        entry, path = store.entry(name), store.path(name)
    except DeskcrewError as error:
        return CheckFinding("local weights", "missing", str(error), "deskcrew models list")
    if path is not None:
        return CheckFinding("local weights", "ok", f"{path}, {size(entry.size)}")
    state: State = "missing" if uses_local(settings) else "note"
    command = f"deskcrew models pull {name}".strip()
    return CheckFinding("local weights", state, f"{entry.name} ({size(entry.size)}) is not on this machine", command)


def keys(settings: Settings, environment: Mapping[str, str] | None = None) -> CheckFinding:
    """Which API keys are set: names only, never values."""
    from deskcrew.models.reference import KEY_VARIABLES, KEYLESS, parse

    env = os.environ if environment is None else environment
    names = sorted({name for variables in KEY_VARIABLES.values() for name in variables})
    present = [name for name in names if env.get(name)]
    kind = parse(settings.model).kind
    needed = KEY_VARIABLES.get(kind, ())
    text = f"set: {', '.join(present)}" if present else "none set (a local model needs none)"
    if needed and kind not in KEYLESS and not any(name in present for name in needed):
        return CheckFinding("API keys", "missing", f"{settings.model} needs one; {text}", f"export {needed[0]}=...")
    return CheckFinding("API keys", "ok" if present else "note", text)


def grounding(settings: Settings) -> CheckFinding:
    """Whether the configured grounding model finds a square in a picture."""
    import anyio

    from deskcrew.models.grounding import create, tried

    name = "grounding"
    try:
        grounder = create(settings.grounding, settings.prices)
    except UsageError as error:
        return CheckFinding(name, "missing", str(error), error.hint)
    if grounder is None:
        text = "no grounding model is set; models with vision point by themselves, others use named controls"
        return CheckFinding(name, "note", text, "Set one if you want it: `deskcrew docs vision` says how.")
    try:
        found = anyio.run(tried, grounder)
    except ModelFailure as error:
        return CheckFinding(name, "missing", str(error), "Start that server, or remove [grounding] from your settings.")
    if found:
        return CheckFinding(
            name, "note", f"{grounder.name} answers, and {found}", "Try another value of grounding.coordinates."
        )
    return CheckFinding(name, "ok", f"{grounder.name} finds what is described, in {settings.grounding.coordinates}")


def web_search(settings: Settings) -> CheckFinding:
    """Whether a search service is configured, and answers a query."""
    from deskcrew.environments.search.factory import create
    from deskcrew.environments.search.provider import Patience

    name = "web search"
    try:
        provider = create(settings.search, patience=Patience(seconds=SECONDS / 2, retries=0))
    except UsageError as error:
        return CheckFinding(name, "missing", str(error), error.hint)
    if provider is None:
        text = "no search service is set; pages can only be reached with --desktop browser"
        if settings.search.address:
            text = f"search.address is {settings.search.address}, but search.provider is none; nothing is searched"
        return CheckFinding(name, "note", text, "Set one if you want it: `deskcrew docs web-search` says how.")
    try:
        found = provider.search("weather", 1)
    except SearchFailure as error:
        return CheckFinding(name, "note", f"{error}", error.hint)  # a run works without
    if not found:
        return CheckFinding(name, "note", f'{provider.name} at {provider.host} answers, but found nothing for "weather"')
    return CheckFinding(name, "ok", f"{provider.name} at {provider.host} answers")


def memory(settings: Settings) -> CheckFinding:
    """Where earlier runs are remembered, and which embedder is used. Does not call the embedder."""
    from deskcrew.learning.memory.keeping import memory_of
    from deskcrew.learning.memory.store import MemoryFailure

    wanted, found = settings.memory, memory_of(settings)
    if wanted.use == "off":
        return CheckFinding("memory", "note", "memory.use is off: runs remember nothing")
    try:
        in_database = found.in_pgvector()
    except MemoryFailure as error:
        return CheckFinding("memory", "note", str(error), error.hint)
    finally:
        found.close()
    if found.embedder is not None:
        text, mend = f"{found.name}; {found.embedder.name} compares meanings", ""
        if in_database:
            text += ", in the database with pgvector"
        elif settings.database:
            text += ", in each process: this database has no pgvector"
            mend = "With many thousands of entries, pgvector saves time and memory: CREATE EXTENSION vector"
        return CheckFinding("memory", "ok", text, mend)
    text = f"{found.name}; only words are compared, not meanings"
    return CheckFinding("memory", "note", text, "" if wanted.embedder == "none" else extra_installed("memory"))
