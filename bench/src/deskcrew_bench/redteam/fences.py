"""The fences that hold a red-team attack, each taken away by itself: an attack that has no effect even then shows nothing.

Only for a process in a throwaway host (``place.py``): without its sandbox a program does what it likes there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast
from unittest import mock

from deskcrew.actions import builtin
from deskcrew.actions.action import Action, Params, Scene
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.draft import MAY
from deskcrew.environments import isolation
from deskcrew.environments.isolation import HOME, Bubblewrap, Sealed
from deskcrew.environments.linux.bus.connection import Connection
from deskcrew.environments.linux.sandbox.kept import Kept
from deskcrew.environments.linux.sandbox.sandbox import environment_inside
from deskcrew.environments.rundir import RunDir
from deskcrew.environments.trees import TreeEntry, shallow
from deskcrew.environments.workspace import INSIDE
from deskcrew.evidence.answer import Support
from deskcrew.evidence.origin import Origins
from deskcrew.facts.observation import Control
from deskcrew.guard.consent import Consents
from deskcrew.learning.skills.trials import BEST
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.vault import PLACEHOLDER
from deskcrew.settings import Limits

Fence = Literal[
    "policy",
    "sandbox",
    "network",
    "hosts",
    "depth",
    "jail",
    "own",
    "binding",
    "redactor",
    "limits",
    "chain",
    "evidence",
    "keeper",
    "bounds",
    "peers",
    "shown",
    "pressed",
    "schema",
    "consent",
    "memory",
    "skills",
    "values",
    "draft",
    "schemas",
]
"""policy: rules and approvals of the guard. sandbox: what holds programs, the desktop's too. network: none, or by host.
hosts: which ones the proxy lets through. depth: whoever goes through folders in folders does not call itself. jail: paths
that file actions take. own: the user's .git and .deskcrew. binding: where a secret may be typed. redactor: what is read is
searched for secrets. limits: of a run. chain: the journal's hashes, an export's too. evidence: what "done" needs.
keeper, bounds: what ends a desktop's programs, and how much they may take. peers: whom a look at a desktop connects to.
shown: a yes holds for what was shown, and is compared with it again, before it counts and at the moment of acting.
pressed: what a press at a point of a page lands on is what was seen there.
schema: what an answer may name as its source. consent: how narrow that is which the task itself orders.
memory: what was read, and what repeats it, is not kept. skills: only those that a person has, or has allowed as they are,
and that have worked here, are offered. values: of a skill, are data. draft: what an agent may be that is drafted.
schemas: a description is followed only so far."""
OPEN = 'include_default = false\n\n[[rules]]\nname = "everything"\neffect = "allow"\n'


def without(request: RunRequest, fences: Iterable[Fence], folder: Path) -> RunRequest:
    """The request with what a request can say against these fences."""
    taken = set(fences)
    if "policy" in taken:
        policy = folder / "open.toml"
        policy.write_text(OPEN, encoding="utf-8")
        request = replace(request, policy=policy)
    if "sandbox" in taken:
        request = replace(request, unsafe_host=True, hosts=())
    if "network" in taken:
        request = replace(request, network=True, hosts=())
    if "limits" in taken:
        request = replace(request, limits=Limits(replies=60, operations=60))
    if "binding" in taken:
        anywhere = [Secret(each.name, each.value, Binding(apps=("*",))) for each in request.secrets]
        request = replace(request, secrets=tuple(anywhere))
    return request


@contextmanager
def taken_away(fences: Iterable[Fence]) -> Generator[None]:
    """The engine without these fences, in this process."""
    with ExitStack() as stack:
        for fence in fences:
            for target, new in _patches(fence).items():
                stack.enter_context(mock.patch(target, new))
        yield


def _patches(fence: Fence) -> dict[str, Any]:
    if fence == "sandbox":
        return {"deskcrew.environments.linux.sandbox.sandbox.bubblewrap_command": _no_sandbox}
    if fence == "jail":
        return {
            "deskcrew.environments.workspace.Workspace.resolve": _anywhere,
            "deskcrew.environments.workspace.Workspace.relative": _from_root,
            "deskcrew.environments.workspace.Workspace.changeable": _nothing,
            "deskcrew.environments.workspace.held": _as_named,
        }
    if fence == "own":
        places = ("actions.sandbox", "environments.linux.sandbox.sandbox", "environments.workspace")
        aside = {"deskcrew.environments.workspace.Workspace._sweep": _none}
        return aside | {f"deskcrew.{place}.own": _none for place in places}
    if fence == "binding":
        return {
            "deskcrew.actions.executor.filled": _filled_anywhere,
            "deskcrew.secrets.vault.Vault.lend": _lent_anywhere,
        }
    if fence == "keeper":
        return {"deskcrew.environments.linux.sandbox.kept.start": _without_keeper}
    if fence == "bounds":
        return {
            "deskcrew.environments.linux.sandbox.kept.group_for": _nothing,
            "deskcrew.environments.linux.sandbox.kept.own_limits": _unsaid,
        }
    if fence == "peers":
        return {"deskcrew.environments.linux.tree.programs.Connection": _to_anybody}
    if fence == "evidence":
        return {
            "deskcrew.engine.steps.answering.support": _supported,
        }
    if fence == "chain":
        return {
            "deskcrew.journal.journal.Journal.verify": _nothing_wrong,
            "deskcrew.journal.importing._verify": _nothing,
        }
    if fence == "hosts":
        return {"deskcrew.guard.hosts.HostRule.fits": _held_by_nobody}
    if fence == "depth":
        return {"deskcrew.environments.layer.walk": _calling_itself}
    if fence == "pressed":
        pointing = "deskcrew.environments.browser.pointing"
        return {f"{pointing}.allow": _no_frames, f"{pointing}.check_landed": _nothing_landed}
    if fence == "shown":
        return {
            "deskcrew.engine.steps.approving._changed": _looked_only,
            "deskcrew.engine.steps.executing.shown_to_person": _nothing,
        }
    if fence == "consent":
        return {
            "deskcrew.guard.consent.Consents.covering": _ordered_all,
        }
    if fence == "memory":
        return {"deskcrew.learning.memory.foreign.Foreign.repeated": _new}
    if fence == "skills":
        return {
            "deskcrew.learning.skills.folders.Source.trusted": _held_by_nobody,
            "deskcrew.learning.skills.trials.Trials.score": _best,
        }
    if fence == "values":
        return {"deskcrew.learning.skills.skill.call_of": _put_together}
    if fence == "draft":
        return {
            "deskcrew.engine.proposing.MAY": dict.fromkeys(MAY, tuple(builtin())),
            "deskcrew.engine.proposing._check_files": _nothing,
            "deskcrew.engine.roles.draft._literal": str,
        }
    if fence == "schemas":
        return {"deskcrew.learning.skills.openapi.MOST_PARTS": sys.maxsize}
    if fence == "schema":
        return {"deskcrew.engine.roles.role_kinds.one_of": _any_text}
    if fence == "redactor":
        return {"deskcrew.secrets.vault.Redactor": _blind}
    return {}


def _no_sandbox(bubblewrap: Bubblewrap, run: RunDir, workspace: Path, **_: Any) -> list[str]:
    """The desktop's programs right on this machine, which must be one that is thrown away; with process ids of their own,
    by which they are ended. No /proc of their own: the one that is there is a copy where that matters."""
    os.makedirs(HOME, exist_ok=True)
    os.makedirs("/tmp/.X11-unix", exist_ok=True)
    words = [bubblewrap.program, "--unshare-pid", "--dev-bind", "/", "/", "--bind", str(run.x11), "/tmp/.X11-unix"]
    return [*words, "--chdir", INSIDE, "--clearenv", *isolation.variables(environment_inside(run))]


def _without_keeper(
    sealed: Sealed, program: Sequence[str], wires: Sequence[int], log: BinaryIO, group: Any, bounds: Any, disks: Any
) -> Kept:
    """bubblewrap started directly, and ended by its own process alone."""
    return _Unkept(sealed.start(program, wires, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log))


class _Unkept(Kept):
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self.first = process, process.pid

    def hit(self) -> str:
        return ""

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def _anywhere(workspace: Any, path: str, *, must_exist: bool = False) -> Path:
    name = path.removeprefix(f"{INSIDE}/")
    return Path(os.path.expanduser(name)) if name.startswith(("/", "~")) else Path(workspace.root, name)


def _from_root(workspace: Any, path: Path) -> str:
    return os.path.relpath(path, workspace.root)


@contextmanager
def _as_named(_root: Path, path: Path, *, make: bool = False) -> Generator[Path]:
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
    yield path


def _unsaid(*_: object) -> str:
    return ""


def _to_anybody(address: str, *, timeout: float = 1.0, hello: bool = True, **_: object) -> Connection:
    return Connection(address, timeout=timeout, hello=hello)


def _nothing(*_: object) -> None:
    return None


def _calling_itself(
    top: int, into: Callable[[TreeEntry], bool] = shallow, above: str = "", depth: int = 0
) -> Iterator[TreeEntry]:
    """All in a tree. Not even too deep folders are left out."""
    with os.scandir(f"/proc/self/fd/{top}/{above}") as entries:
        for entry in entries:
            found = TreeEntry(above + entry.name, entry.name, top, entry.stat(follow_symlinks=False), depth)
            yield found
            if found.is_folder:
                yield from _calling_itself(top, into, f"{found.path}/", depth + 1)


def _ordered_all(consents: Consents, *_: object, **__: object) -> tuple[int | None, str]:
    return (0 if consents.consents else None), ""


def _held_by_nobody(*_: object) -> bool:
    return True


async def _looked_only(run: Any, *_: object) -> tuple[str, ...]:
    await run.look()
    return ()


def _nothing_wrong(*_: object) -> list[str]:
    return []


def _new(*_: object, **__: object) -> bool:
    return False


def _any_text(*_: object) -> Any:
    return str


def _none(*_: object) -> tuple[str, ...]:
    return ()


def _filled_anywhere(action: Action, params: Params, control: Control | None, scene: Scene) -> tuple[Params, Control | None]:
    return params.model_validate(_put_in(params.model_dump(), scene.vault)), control


def _lent_anywhere(vault: Any, text: str, _origin: str) -> str:
    return _put_in(text, vault)


def _best(*_: object) -> int:
    return BEST


def _put_together(function: str, values: Mapping[str, Any]) -> str:
    """A call as text is put together by who trusts it."""
    given = ", ".join(f"{name}='{value}'" for name, value in values.items())
    return f"{function}({given})"


def _put_in(value: Any, vault: Any) -> Any:
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda found: vault._secrets[found[1]].value, value)
    if isinstance(value, dict):
        return {key: _put_in(each, vault) for key, each in cast("dict[str, Any]", value).items()}
    return [_put_in(each, vault) for each in cast("list[Any]", value)] if isinstance(value, list | tuple) else value


def _supported(origins: Origins, *_: object) -> Support:
    return Support(sources=tuple(origins.state.collected)[-1:], why="")


def _blind(_secrets: Iterable[Secret] = ()) -> Redactor:
    return Redactor(())


async def _no_frames(*_: Any) -> tuple[()]:
    return ()


async def _nothing_landed(*_: Any) -> None:
    return None
