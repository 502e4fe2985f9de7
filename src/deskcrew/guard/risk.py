"""The facets of one operation, above all its risk: the action's minimum, raised by its target.

What is on the screen can raise an action's risk, never lower it, so that no page can talk the guard into anything. Not
visible here: what a control does if neither its form nor its name says so, or if there is no table for its language; the
default button of a window that is not a dialog; what a program in a terminal does with input that is not typed at a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from deskcrew.actions.action import ON_DESKTOP, Action, Outgoing, Risk, Scene
from deskcrew.actions.code import RUN_SHELL
from deskcrew.actions.files import DELETE_FILE, MOVE_FILE, WRITE_FILE
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.changes import Changes
from deskcrew.environments.workspace import INSIDE, Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.events import PATHS, DesktopKind, Operation
from deskcrew.guard.commands import JudgedRisk, judge_code, judge_command
from deskcrew.guard.desktop import on_desktop
from deskcrew.guard.facets import Facets, PathFacet, TextFacet
from deskcrew.guard.hosts import HostRule, normal
from deskcrew.guard.patterns import normal_host, normal_path
from deskcrew.guard.surface import strings
from deskcrew.guard.traces import Trace, code_trace, command_trace, hosts_in, lines_of
from deskcrew.guard.words import Words


def assess(operation: Operation, action: Action, scene: Scene, words: Words, kind: DesktopKind, agent: str = "") -> Facets:
    """The facets of an operation in a scene. ``kind``: the kind of desktop; ``agent``: the role that proposes it."""
    params = understood(operation, action)
    if action.outgoing is not None:
        found = _sent(action.outgoing, params, action, words, scene.sandbox)
    elif action.needs in ON_DESKTOP:
        found = on_desktop(operation.model_copy(update={"params": params}), action, scene, words, kind)
        if isinstance(file := params.get("file"), str) and file.strip():
            found = replace(found, paths=(*found.paths, *_paths(file, scene)[0]))
    elif action.needs == "sandbox":
        found = _in_sandbox(params, action, scene, words)
    elif action.needs == "search":
        found = _at_a_service(params, scene)
    else:
        found = _in_workspace(params, action, scene)
    actions = tuple(dict.fromkeys((action.name, *found.actions)))
    return replace(found, actions=actions, agent=agent)


def understood(operation: Operation, action: Action) -> Mapping[str, object]:
    """The parameters as the action will parse them; unchanged if the action will reject them."""
    try:
        return action.params.model_validate(operation.params).model_dump()
    except ValidationError:
        return operation.params


def _at_a_service(params: Mapping[str, object], scene: Scene) -> Facets:
    """The facets of a search: its words are sent to the service, as an address is to its host. Hosts in the words count."""
    said = [text for value in params.values() for text in strings(value)]
    texts = tuple(dict.fromkeys(line for text in said for line in lines_of(text)))
    service = (normal_host(scene.search.host),) if scene.search is not None and scene.search.host else ()
    hosts = tuple(dict.fromkeys((*service, *(host for text in said for host in hosts_in(text)))))
    why = f"what is searched for goes to {', '.join(hosts) or 'a search service'}"
    return Facets(risk="network", place="workspace", why=why, texts=texts, hosts=hosts, apart="read")


_OF_A_METHOD: dict[str, Risk] = {"GET": "network", "HEAD": "network", "OPTIONS": "network", "DELETE": "destroy"}
"""The risk of an HTTP method by its purpose; any other method sends something."""


def _sent(
    outgoing: Callable[[Any], Outgoing], params: Mapping[str, object], action: Action, words: Words, sandbox: Sandbox
) -> Facets:
    """The facets of a request to a web service: its risk follows from its method and is raised by what its description calls
    it. If the request would not reach its address, the reason says so, and it is not enough that the host is known."""
    try:
        sent = outgoing(params)
    except ActionError as error:
        return Facets(risk=action.risk, place="outside", why=str(error))
    host = normal_host(urlsplit(sent.address).hostname or "")
    judged = JudgedRisk(_OF_A_METHOD.get(sent.method, "send"), sent.why or f"{sent.method} {sent.address}")
    said = words.names.of(sent.called)
    if risk := said.risk or ("spend" if said.amount else None):
        judged = judged.worse(JudgedRisk(risk, f"{sent.called!r} at {host}" if host else sent.why))
    if closed := _closed(sandbox, sent.address):
        judged = JudgedRisk(judged.risk, f"{judged.why}; {closed}")
    hosts = (host,) if host else ()
    texts = tuple(dict.fromkeys(line for text in sent.texts for line in lines_of(text)))
    apart: Risk | None = "read" if judged.risk == "network" and not closed else None
    return Facets(risk=judged.risk, place="workspace", why=judged.why, texts=texts, hosts=hosts, apart=apart)


def _closed(sandbox: Sandbox, address: str) -> str:
    """Why programs cannot reach an address at its port, and what would allow it; '' if they can, or if the port is
    invalid."""
    parts = urlsplit(address)
    if sandbox.network or sandbox.unsafe_host or not parts.hostname:
        return ""
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return ""  # there is no such port, so that nothing allows it
    if any(HostRule.parse(rule).fits(normal(parts.hostname), port) for rule in sandbox.hosts):
        return ""
    return f"{parts.netloc} is not among the hosts of this run; --allow-host {parts.netloc} allows it"


def _in_workspace(params: Mapping[str, object], action: Action, scene: Scene) -> Facets:
    whole = bool(action.naming("entries"))  # a folder is taken with everything in it
    paths: list[PathFacet] = []
    outside = ""
    texts: list[TextFacet] = []
    for name, value in params.items():
        if name in PATHS and isinstance(value, str) and value:
            named, why = _paths(value, scene, whole=whole)
            paths += named
            outside = outside or why
        elif name not in PATHS:
            texts += [line for text in strings(value) for line in lines_of(text)]
    lost = _lost(params, action, scene) if not outside else ""
    return Facets(
        risk="destroy" if lost else action.risk,
        place="outside" if outside else "workspace",
        why=outside or lost,
        paths=tuple(dict.fromkeys(paths)),
        texts=tuple(dict.fromkeys(texts)),
    )


def _lost(params: Mapping[str, object], action: Action, scene: Scene) -> str:
    """Which files an action on files would lose, in words; '' if none."""
    if action.loses is None or scene.beginning is None:
        return ""
    try:
        lost = action.loses(scene.workspace, action.params.model_validate(params), scene.beginning).losses()
    except (ActionError, ValidationError):
        return ""  # it will be refused
    return f"it would lose {lost}" if lost else ""


def _paths(path: str, scene: Scene, *, whole: bool = False) -> tuple[tuple[PathFacet, ...], str]:
    """A path of the workspace, both as named and with links resolved; and why it cannot be used, '' if it can."""
    named, why = normal_path(path, roots(scene)), ""
    try:
        real = scene.workspace.relative(scene.workspace.resolve(path))
    except ActionError as error:
        why = str(error)
        # It leads out, or nowhere; a link that leads out looks as if it did not.
        real = str((scene.workspace.root / named).resolve()) if (scene.workspace.root / named).exists() else named
    return tuple(dict.fromkeys((PathFacet(named, whole), PathFacet(normal_path(real, roots(scene)), whole)))), why


def unusable(operation: Operation, action: Action, workspace: Workspace) -> str:
    """Why a path in an operation cannot be used, whatever a policy allows; '' if all can."""
    try:
        for name in PATHS if action.needs == "workspace" else ("file",):
            if path := str(operation.params.get(name) or ""):
                workspace.resolve(path)
    except ActionError as error:
        return str(error)
    return ""


def roots(scene: Scene) -> tuple[str, str]:
    """The workspace's path inside the sandbox, and on the host."""
    return INSIDE, scene.workspace.root.as_posix()


def _in_sandbox(params: Mapping[str, object], action: Action, scene: Scene, words: Words) -> Facets:
    if not scene.sandbox.unsafe_host:
        # What it does to files is seen before it lands, and decided then.
        words = words.without_destroying
    code, command = params.get("code"), params.get("command")
    judged, trace = JudgedRisk(action.risk), Trace()
    if isinstance(command, str):
        judged = judged.worse(judge_command(command, words))
        trace += command_trace(command, words, roots(scene))
    if isinstance(code, str):
        judged = judged.worse(judge_code(code, words))
        trace += code_trace(code, words, roots(scene))
    known = ("code", "command")
    others = (text for name, value in params.items() if name not in known for text in strings(value))
    texts = (*trace.texts, *(line for text in others for line in lines_of(text)))
    found = Facets(
        risk=judged.risk,
        place="workspace",
        why=judged.why,
        actions=(RUN_SHELL.name,) if trace.shell else (),
        texts=texts,
        paths=trace.paths,
        hosts=tuple(dict.fromkeys((*trace.hosts, *(host for text in texts for host in hosts_in(text.own))))),
    )
    if scene.sandbox.unsafe_host:
        blind = "judged by its text alone, since it runs without a sandbox"
        why = f"{judged.why}; {blind}" if judged.why else blind
        return replace(found, place="outside" if judged.outside else "real", why=why)
    if judged.risk == "network" and not scene.sandbox.network:
        # There is nothing to ask about: no program inside reaches anything but the hosts that need no question.
        return replace(found, risk=action.risk, why="")
    return found


def assess_changes(changes: Changes, action: Action, agent: str) -> tuple[tuple[Facets, str], ...]:
    """The facets of what a program did to files, with losses separate from other changes; each with the name of the action
    on files that has the same effect."""
    groups: tuple[tuple[Risk, str, list[str]], ...] = (
        ("destroy", DELETE_FILE.name, [change.path for change in changes.destroyed if change.kind == "removed"]),
        ("destroy", WRITE_FILE.name, [change.path for change in changes.destroyed if change.kind != "removed"]),
        ("write", MOVE_FILE.name, [change.path for change in changes.kept if change.kind == "moved"]),
        ("write", WRITE_FILE.name, [change.path for change in changes.kept if change.kind != "moved"]),
    )
    lost = f"it would lose {changes.losses()}"
    return tuple(
        (
            Facets(
                risk=risk,
                place="workspace",
                why=lost if risk == "destroy" else "",
                actions=(action.name,),
                agent=agent,
                paths=tuple(PathFacet(path) for path in paths),
            ),
            amounts_to,
        )
        for risk, amounts_to, paths in groups
        if paths
    )
