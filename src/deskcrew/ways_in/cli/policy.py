"""``deskcrew policy``: check a policy, test it on an operation, explain a decision."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, print_json, tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import DataOption, DesktopKind, JsonOption, RawOption, RunArgument, open_run, settings_with
from deskcrew.ways_in.cli.show import event_number
from deskcrew.ways_in.cli.verify import told_first
from deskcrew.ways_in.report.text import clean, one_line

if TYPE_CHECKING:
    from deskcrew.actions.action import Action
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.guard.again import RecordedRuling
    from deskcrew.guard.cases import Added, PolicyCase
    from deskcrew.guard.guard import GuardDecision
    from deskcrew.guard.policy import Policy
    from deskcrew.guard.rules import Limit, Rule

EPILOG = "Start with: deskcrew policy check, then: deskcrew policy test --action run_shell --param 'command=git push'"
CHECK_EPILOG = "Examples: deskcrew policy check | deskcrew policy check strict.toml --json"
TEST_EPILOG = """Examples:

deskcrew policy test --action click_input --control "Place order" --role button --app firefox

deskcrew policy test --action run_shell --param "command=git push" --network --policy strict.toml

deskcrew policy test cases.toml --policy strict.toml

A file of cases is TOML; only the action is required, and `deskcrew docs policy` has more:

\\[\\[cases]]

action = "run_shell"

params = { command = "git status" }

expect = "allow"

rule = "look-at-git"

Exit codes: 0 allow, 3 ask, 5 deny or an unusable path; for a file of cases: 0 if all are as expected, else 4."""
EXPLAIN_EPILOG = """Examples: deskcrew policy explain last 42 | deskcrew policy explain last 42 --policy strict.toml

Exit codes: 0 if the decision is the same again, 3 if it is not, 4 if the record is not what was written."""
SEEN_FIRST = (
    "It runs in a sandbox, on a copy of the workspace. Once it is known what it changes or deletes there, that is decided "
    "separately, before it is kept."
)
CODES = {"allow": 0, "ask": 3, "deny": 5}
STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}

FileArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="The policy.", show_default="the policy for your runs")
]
PolicyOption = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="The policy.", show_default="the policy for your runs"),
]
CasesArgument = Annotated[
    Path | None,
    typer.Argument(metavar="CASES", help=r"A TOML file of \[\[cases]]; an example is below.", show_default=False),
]
_WHERE = "Where it would happen"


def build() -> typer.Typer:
    """The commands of ``deskcrew policy``."""
    app = typer.Typer(
        no_args_is_help=True, help="What the crew may do: check a policy, test it, explain its decisions.", epilog=EPILOG
    )
    app.command(epilog=CHECK_EPILOG)(check)
    app.command("test", epilog=TEST_EPILOG)(try_out)
    app.command(epilog=EXPLAIN_EPILOG)(explain)
    return app


def check(file: FileArgument = None, json: JsonOption = False) -> None:
    """Check a policy file and list its rules in the order in which they apply."""
    from deskcrew.guard.weighing import ranked

    policy, source = _policy(file)
    rules = ranked(policy.rules)
    notes = _notes(policy)
    if json:
        print_json(
            {
                "policy": source,
                "digest": policy.digest,
                "rules": [_rule_json(rule) for rule in rules],
                "limits": [_rule_json(limit) for limit in policy.limits],
                "hosts": list(policy.hosts),
                "notes": notes,
            }
        )
        return
    out = console()
    for piece in _tables(rules, policy, source, notes):
        out.print(piece)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOptions:
    """Options for an operation, and where it would happen."""

    action: Annotated[str | None, typer.Option("--action", metavar="NAME", help="An action, e.g. run_shell.")] = None
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the action; repeatable.")
    ] = None
    app: Annotated[str, typer.Option("--app", help="The window's program.", rich_help_panel=_WHERE)] = ""
    title: Annotated[str, typer.Option("--title", help="The window's title.", rich_help_panel=_WHERE)] = ""
    dialog: Annotated[bool, typer.Option("--dialog", help="The window is a dialog.", rich_help_panel=_WHERE)] = False
    control: Annotated[str, typer.Option("--control", help="Name of the control.", rich_help_panel=_WHERE)] = ""
    role: Annotated[str, typer.Option("--role", help="Its role: button, link, ...", rich_help_panel=_WHERE)] = ""
    value: Annotated[str | None, typer.Option("--value", help="Its value.", rich_help_panel=_WHERE)] = None
    agent: Annotated[
        str, typer.Option("--agent", help="The role of the crew that proposes the operation.", rich_help_panel=_WHERE)
    ] = ""
    host: Annotated[
        list[str] | None, typer.Option("--host", help="A host that it connects to; repeatable.", rich_help_panel=_WHERE)
    ] = None
    desktop: Annotated[
        DesktopKind,
        typer.Option("--desktop", help="As in deskcrew run.", rich_help_panel=_WHERE),
    ] = "virtual"
    network: Annotated[bool, typer.Option("--network", help="As in deskcrew run.", rich_help_panel=_WHERE)] = False
    unsafe_host: Annotated[bool, typer.Option("--unsafe-host", help="As in deskcrew run.", rich_help_panel=_WHERE)] = False


@grouped
def try_out(
    *,
    cases: CasesArgument = None,
    options: CaseOptions,
    policy: PolicyOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a policy decides about an operation, or test it with a file of cases."""
    from deskcrew.guard.cases import PolicyCase, action_named, parse_params, read_cases

    action = options.action
    if (cases is None) == (action is None):
        raise UsageError("Say what to test: --action NAME, or a file of cases.", hint="`deskcrew policy test --help`")
    loaded, source = _policy(policy)
    added = _added()
    if cases is not None:
        raise typer.Exit(_run_cases(loaded, source, read_cases(cases, added), added, json=json))
    assert action is not None
    case = PolicyCase(
        action=action,
        params=parse_params(options.param or [], action_named(action, added)),
        control=options.control,
        role=options.role,
        value=options.value,
        app=options.app,
        title=options.title,
        dialog=options.dialog,
        agent=options.agent,
        host=tuple(options.host or ()),
        desktop=options.desktop,
        network=options.network,
        unsafe_host=options.unsafe_host,
    )
    raise typer.Exit(_run_one(loaded, source, case, added, json=json))


def explain(
    run: RunArgument,
    event: Annotated[
        str, typer.Argument(metavar="EVENT", help="Number of the event, from `deskcrew audit`.", show_default="the only one")
    ] = "",
    policy: PolicyOption = None,
    raw: RawOption = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Explain why an operation was allowed, asked about or denied, by the run's own policy or by another."""
    from deskcrew.facts.events import OperationProposed
    from deskcrew.guard.again import again
    from deskcrew.guard.policy import Policy
    from deskcrew.ways_in.report import render
    from deskcrew.ways_in.report.operations import Looks

    journal = open_run(data, run)
    # After an undo the current branch has none, and what was undone was decided all the same.
    branches = (
        [each for each in events if isinstance(each.body, OperationProposed)] for events in (journal.events, journal.all)
    )
    decided = [str(each.number) for each in next(filter(None, branches), ())]
    event = event or (decided[0] if len(decided) == 1 else "")
    if not event:
        last = f" The last one: deskcrew policy explain {journal.run} {decided[-1]}" if decided else ""
        raise UsageError("Say which event to explain.", hint=f"deskcrew audit {journal.run} lists them.{last}")
    problems = told_first(journal)
    found = again(journal, event_number(event, journal), Policy.load(policy) if policy is not None else None)
    look = Looks(journal).before(journal.event(found.proposed))
    wanted = render.operation(found.operation) if raw else render.in_words(found.operation, look)
    tell(_again_text(found, wanted), _again_json(found) | {"run": journal.run}, json=json)
    raise typer.Exit(4 if problems else 3 if found.differences else 0)


def _policy(file: Path | None) -> tuple[Policy, str]:
    """The policy in ``file``, else the user's or the built-in one, and where it comes from. Raises ConfigError if it is
    invalid."""
    from deskcrew.guard.policy import FILE, user_policy

    config = settings_with(None).config
    found = config / FILE
    source = str(file) if file is not None else str(found) if found.exists() else "built in"
    return user_policy(config, file, actions=_added()), source


def _added() -> dict[str, Action]:
    """The added actions that may be used here, by name. Raises ConfigError if a file is invalid."""
    from deskcrew.engine.request import usable_actions

    return usable_actions(settings_with(None))


def _notes(policy: Policy) -> list[str]:
    """Notes on parts of a policy that are valid but may be surprising."""
    notes: list[str] = []
    if not policy.rules:
        notes.append("There are no rules: everything is denied.")
    for rule in policy.rules:
        if rule.effect == "allow" and not rule.named:
            notes.append(f"{rule.name} allows everything that no other rule covers.")
        if rule.effect == "allow" and rule.text and rule.action and any(not _anchored(text) for text in rule.text):
            notes.append(
                f"{rule.name} allows whatever contains its text; with ^ and $ it would have to match the whole line."
            )
    return notes


def _anchored(pattern: str) -> bool:
    return pattern.startswith("^") and pattern.endswith("$")


def _rule_json(rule: Rule | Limit) -> JsonObject:
    return rule.model_dump(mode="json", exclude_none=True)


def _tables(rules: list[Rule], policy: Policy, source: str, notes: list[str]) -> list[RenderableType]:
    pieces: list[RenderableType] = [Text(clean(f"Policy: {source}"), style="bold")]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("conditions", "effect", "rule", "about", ""):
        table.add_column(head)
    for rule in rules:
        effect = Text(rule.effect + (", every time" if rule.every_time else ""), style=STYLES[rule.effect])
        origin = Text("built in" if rule.builtin else "", style="dim")
        table.add_row(Text(str(len(rule.named))), effect, Text(clean(rule.name)), Text(clean(_about(rule))), origin)
    pieces.append(table)
    for limit in policy.limits:
        said = f"Limit {limit.name}: at most {limit.most} per {limit.per}, then {limit.effect}; about {_about(limit)}"
        pieces.append(Text(clean(said)))
    if policy.hosts:
        pieces.append(Text(clean(f"Known hosts: {', '.join(policy.hosts)}")))
    pieces += [Text(clean(f"Note: {note}"), style="yellow") for note in notes]
    pieces.append(Text("If no rule matches: deny. Of equal rules, the stricter decides.", style="dim"))
    return pieces


def _about(rule: Rule | Limit) -> str:
    return "; ".join(f"{field}: {', '.join(getattr(rule, field))}" for field in rule.named) or "anything"


def _run_one(policy: Policy, source: str, case: PolicyCase, added: Added, *, json: bool) -> int:
    from deskcrew.guard.cases import action_named, decide, if_new, refused

    with tempfile.TemporaryDirectory(prefix="deskcrew-") as folder:
        decision, refusal = decide(policy, case, Path(folder), added), refused(case, Path(folder), added)
        new = if_new(policy, case, decision, Path(folder), added)
    said = _decision_text(decision)
    if new is not None:
        said.append(Text(clean(f"If the file did not exist before the run: {new.effect} by {new.rule or 'no rule'}.")))
    if action_named(case.action, added).needs == "sandbox" and not case.unsafe_host and decision.effect != "deny":
        said.append(Text(SEEN_FIRST, style="dim"))
    if refusal:
        said.append(Text(clean(f"It would be refused under any policy: {refusal}"), style="red"))
    told = {"refused": refusal, "if_new": new.effect if new is not None else decision.effect}
    tell(said, {"policy": source, "operation": case.title_line, **_decision_json(decision), **told}, json=json)
    return CODES["deny" if refusal else decision.effect]


def _run_cases(policy: Policy, source: str, cases: list[PolicyCase], added: Added, *, json: bool) -> int:
    from deskcrew.guard.cases import decide

    with tempfile.TemporaryDirectory(prefix="deskcrew-") as folder:
        decided = [(case, decide(policy, case, Path(folder), added)) for case in cases]
    wrong = [case for case, decision in decided if not case.met_by(decision)]
    if json:
        told = [
            {"operation": case.title_line, "expect": case.expect, "ok": case.met_by(decision), **_decision_json(decision)}
            for case, decision in decided
        ]
        print_json({"policy": source, "ok": not wrong, "cases": told})
        return 4 if wrong else 0
    out = console()
    for case, decision in decided:
        good = case.met_by(decision)
        mark = Text("✓ " if good else "✗ ", style="green" if good else "red")
        said = f"{case.title_line}: {decision.effect} by {decision.rule or 'no rule'}"
        wanted = "" if good else f"; expected {case.expect}{f' by {case.rule}' if case.rule else ''} ({decision.why})"
        out.print(mark + Text(clean(said + wanted)), soft_wrap=True)
    out.print(Text(f"{len(cases) - len(wrong)} of {len(cases)} as expected.", style="red" if wrong else "green"))
    return 4 if wrong else 0


def _decision_json(decision: GuardDecision) -> JsonObject:
    return decision.model_dump(mode="json") | {"decision": decision.effect}


def _decision_text(decision: GuardDecision) -> list[RenderableType]:
    head = Text(decision.effect, style=f"bold {STYLES[decision.effect]}")
    by = decision.rule or "no rule matches"
    pieces: list[RenderableType] = [head + Text(clean(f" by {by}" if decision.rule else f": {by}"), style="default")]
    pieces.append(Text(clean(f"  risk {decision.risk}, {decision.place}: {decision.why}")))
    for fitting in decision.explanation:
        told = ", ".join(f"{field} {one_line(value, 60)!r}" for field, value in fitting.conditions.items()) or "anything"
        mark = "decides" if fitting.part == "decides" else "matches"
        pieces.append(Text(clean(f"  {mark}: {fitting.rule} ({fitting.effect}) about {told}"), style="dim"))
    return pieces


def _again_json(found: RecordedRuling) -> JsonObject:
    return {
        "proposed": found.proposed,
        "operation": found.operation.model_dump(mode="json"),
        "agent": found.agent,
        "recorded": found.recorded.model_dump(mode="json") if found.recorded is not None else None,
        "number": found.number,
        "differences": list(found.differences),
        "about": found.about.type if found.about is not None else found.operation.function,
        **(_decision_json(found.decision) if found.decision is not None else {"decision": None}),
    }


def _again_text(found: RecordedRuling, wanted: Text) -> list[RenderableType]:
    from deskcrew.facts.events import ChangesFound, OperationApproved

    pieces: list[RenderableType] = [Text(clean(f"#{found.proposed} {found.agent}: ")).append_text(wanted)]
    if isinstance(found.about, ChangesFound):
        lost = f", which would lose {found.about.losses}" if found.about.losses else ""
        pieces.append(Text(clean(f"It ran on a copy. This decision is about its changes there{lost}.")))
    elif found.about is not None:
        pieces.append(Text("It was done. This decision is about what the page then wanted to send."))
    if found.recorded is None:
        pieces.append(Text("Then: no decision was made; it was skipped, or the run ended.", style="dim"))
    else:
        what = "approved" if isinstance(found.recorded, OperationApproved) else "denied"
        rule = found.recorded.rule or "no rule"
        pieces.append(
            Text(clean(f"Then: {what} by {found.recorded.by}, rule {rule}, risk {found.recorded.risk} (#{found.number})"))
        )
        if not isinstance(found.recorded, OperationApproved) and found.recorded.why:
            pieces.append(Text(clean(f"  {one_line(found.recorded.why, 300)}")))
    if found.decision is None:
        pieces.append(Text("It cannot be decided again: that takes the page which sent it.", style="dim"))
        return pieces
    pieces += [
        Text("Now: ") + piece if n == 0 and isinstance(piece, Text) else piece
        for n, piece in enumerate(_decision_text(found.decision))
    ]
    pieces += [Text(clean(f"Differs: {each}"), style="red") for each in found.differences]
    if found.recorded is not None and not found.differences:
        pieces.append(Text("The decision is the same again.", style="green"))
    return pieces
