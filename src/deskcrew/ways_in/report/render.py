"""Events as lines of text, as the live display and ``deskcrew log`` show them. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent, Contract, Proof, Requirement, Strength
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Evidence, Observation, Sent
from deskcrew.facts.plan import Plan
from deskcrew.facts.verdict import (
    BUDGETS,
    CHANGED,
    NAME_TAKEN,
    NO_CHECK,
    NO_COLUMN,
    NO_FILE,
    NO_FIT,
    OUTSIDE,
    REJECTED,
    UNCONFIRMED,
    UNHELD,
    UNREADABLE,
    UNUSABLE,
    Branch,
    CheckResult,
    Outcome,
    Verdict,
)
from deskcrew.journal.later import FATES, Later
from deskcrew.journal.records import BY_RULE, HUMAN, REPLAY, RULES
from deskcrew.ways_in.report import operations
from deskcrew.ways_in.report.text import clean, counted, model_shown, moment, money, number, one_line, seconds, some

WIDTH = 240
"""Maximum characters of model or program text on a line; ``deskcrew show`` has all of it."""

BLOCK = 3
"""Maximum lines of a multi-line parameter, such as code, that are shown below its operation."""
PROGRAM = 100
"""If a parameter has more lines than this, only their number is shown."""
SIGNALS: dict[str, str] = {
    Branch.ROLE_TASK_FINISH: "says its subtask is finished",
    Branch.TASK_MISMATCH: "says this is not its kind of work",
    Branch.REMAKE_SUBTASKS: "asks for a new plan",
    Branch.NEED_HUMAN_HELP: "asks for your help",
    Branch.INTERRUPT: "gives up",
    Branch.UNANSWERABLE: "says it cannot be done",
}
"""What a role's reply says about its own work, in words. ``Continue`` says nothing."""
_EFFECTS = {"continue": "no fault in what it did", "repair": "it did not do what was meant"}
_VERDICTS = {
    "continue": "goes on",
    "accept": "accepted",
    "repair": "to be repaired",
    "reassign": "for another role",
    "appeal": "asks for another plan",
    "replan": "needs a new plan",
    "ask": "you are asked",
    "stop": "the run ends",
}
_JUDGES = {
    "rules": "by rule",
    "model": "reviewer",
    "rules+model": "by rule, and reviewer",
    "human": "you",
    "planner": "planner",
}
_SCOPES = {"subtask": "the subtask: ", "goal": "the whole task: ", "answer": "the answer: ", "effect": ""}
REJECTED_CLAIM = "the claim that all is done was rejected: a new plan is made"
ASKS = {"automatic": "never asks", "passive": "asks when it matters", "active": "asks at each step"}
"""The modes, in words: how often a person is asked. The least first."""
_PLANNERS = {RULES: "", REPLAY: "", HUMAN: " by you"}
"""Who planned, if it was not a role; a rule, and the run that is repeated, are not named: the reason says it."""
_INTENTIONS = ("intention", "message", "thought", "thought_process", "analyze", "summary", "reason", "why")
_SAID = ("information", "answer", "problem", "question")
Operated = (
    e.OperationProposed
    | e.OperationApproved
    | e.OperationDenied
    | e.OperationSkipped
    | e.ChangesFound
    | e.SendsFound
    | e.CandidatesTried
    | e.ActionFinished
    | e.ActionInterrupted
)
"""The events about one operation; :data:`deskcrew.facts.events.Body` has all."""


def lines(event: e.Event, look: Observation | None = None, *, raw: bool = False) -> list[Text]:
    """The lines that show an event to a person: none for mere bookkeeping, several for a plan.

    ``look``: the last observation before the event, for the names of controls; ``raw``: show operations as function and
    parameters.
    """
    body = event.body
    if isinstance(body, Operated):
        return operated(body, look, raw=raw)
    match body:
        case e.RunStarted():
            return started(body)
        case e.ConsentRead():
            return consents(body.consents) + [_uncounted(each) for each in body.uncounted]
        case e.GoalSet():
            return goal(body)
        case e.PlanPatched():
            return [Text.assemble((f"plan{planner(body)}", "bold"), because(body.why)), *plan(body.plan)]
        case e.LanesOpened():
            own = "".join(f"; {one_line(lane, 12)} at desk {desk}" for lane, desk in list(body.desks.items())[:12])
            return [Text.assemble(("at once ", "bold"), f"{some(body.subtasks, limit=12)} of the plan{own}")]
        case e.Understood():
            return [understood(body)]
        case e.RoleCalled() | e.ActionStarted() | e.FileRead() | e.PictureRead():
            return []
        case e.PointFound():
            return [pointed(body)]
        case e.KnowledgeFound():
            return looked_up(body)
        case e.Recalled():
            return [recalled(body)]
        case e.Saved():
            left = f"not in the save point: {some(body.unsaved)}" if body.unsaved else ""
            return [Text(left, style="yellow")] if left else []
        case e.FaultFound():
            return [fault(body)]
        case e.Rewound():
            return rewound(body)
        case e.RunResumed():
            return [resumed(body)]
        case e.RoleReplied():
            return replied(body)
        case e.Observed() | e.LookingAgain() | e.LookedElsewhere():
            return observed(body, first=event.header.cause is None)
        case e.Judged():
            return judged(body)
        case e.Proved():
            return proved(body)
        case e.HumanSaid():
            return [_said(body)]
        case e.LimitRaised():
            return [Text(f"you: continue, up to {body.limit:g} {BUDGETS[body.budget]}", style="bold magenta")]
        case e.RunFinished():
            return [Text.assemble(("ended: ", "bold"), outcome_words(body.outcome))]
        case e.AttemptsShown():
            return [Text.assemble(("attempts compared ", "bold"), some(tuple(map(str, sorted(body.attempts)))))]
        case e.AttemptsCompared():
            return [chosen(body.choice)]
        case e.Confirmed():
            what = f"requirement {one_line(body.requirement, 12)}" if body.requirement else "the task"
            said = "holds" if body.holds else "does not hold"
            return [Text.assemble((f"you, confirm: {what} {said}", "bold magenta"), because(body.why))]
        case e.RunInterrupted():
            return [Text.assemble(("interrupted: ", "bold red"), one_line(body.error, WIDTH))]


def brief(event: e.Event, look: Observation | None) -> list[Text]:
    """These lines without code, and of a proof only what is not proven."""
    match event.body:
        case e.OperationProposed():
            return lines(event, look)[:1]
        case e.RunStarted() as body:
            return [*started(body)[:1], *earlier(body)]
        case e.Proved() as body:
            return [*(proof(one) for one in body.proofs if not one.proven), *_besides(body)]
        case _:
            return lines(event, look)


def planner(body: e.PlanPatched) -> str:
    """Who made a plan, in words: " by Planner", or '' for nobody in particular."""
    return _PLANNERS.get(body.by, f" by {one_line(body.by, 40)}")


def _said(body: e.HumanSaid) -> Text:
    if body.kind == "mode":  # a command or a page may have set it for them
        whose = one_line(body.role, 40) if body.role else "the crew"
        return Text(f"{whose} {ASKS.get(body.text, one_line(body.text, WIDTH))}", style="dim")
    to = f" to {one_line(body.role, 40)}" if body.role else ""
    text = Text(f"you, {body.kind.replace('_', ' ')}{to}", style="bold magenta")
    said = one_line(body.text, WIDTH)
    return Text.assemble(text, f": {said}" if said else "")


def understood(body: e.Understood) -> Text:
    """What a small model takes the task for; or who confirmed or denied that this is what was meant."""
    if body.by:
        who = "you" if body.by == "human" else "whoever started the run, in advance"
        if body.said is not None:
            who = f"{body.said.person or who}, {moment(body.said.time)} in run {one_line(body.said.run, 40)}"
        told = f"{'yes' if body.holds else 'no'}, that is {'' if body.holds else 'not '}what is wanted"
        edited = "; ".join(f"{name}: {one_line(str(body.values.get(name, ''))) or 'none'}" for name in body.edited)
        return Text(one_line(f"{who}: {f'yes, with {edited}' if edited else told}", WIDTH), style="bold magenta")
    return Text.assemble(("understood as: ", "bold"), one_line(body.told, WIDTH), f"  [skill {one_line(body.skill, 64)}]")


def operated(body: Operated, look: Observation | None, *, raw: bool) -> list[Text]:
    """The lines for an event about one operation: proposed, allowed, denied, skipped, tried or carried out."""
    match body:
        case e.OperationProposed():
            wanted = operation(body.operation, blocks=True) if raw else in_words(body.operation, look)
            text = Text.assemble(("→ ", "cyan"), wanted)
            return [text.append_text(because(body.intention)), *_blocks(body.operation)]
        case e.OperationApproved():
            who = {"human": "you", "consent": "your task"}.get(body.by, f"the policy, rule {one_line(body.rule, 60)}")
            return [Text(f"allowed by {who} (risk: {one_line(body.risk, 20)})", style="dim")]
        case e.OperationDenied():
            return [denied(body)]
        case e.ChangesFound():
            lost = f"; this would lose {one_line(body.losses, WIDTH)}" if body.losses else ""
            changed = "1 file or folder" if body.paths == 1 else f"{body.paths} files or folders"
            return [Text(f"changes {changed}{lost}", style="yellow" if lost else "dim")]
        case e.SendsFound():
            return [Text(f"its page wants to send {some([_sent(each) for each in body.sent])}", style="yellow")]
        case e.CandidatesTried():
            return [tried(body)]
        case e.OperationSkipped():
            return [Text(f"skipped: {one_line(body.why, WIDTH)}", style="dim")]
        case e.ActionFinished():
            return [finished(body)]
        case e.ActionInterrupted():
            what = operation(body.operation).plain if raw else operations.in_words(body.operation, look)
            return [Text.assemble(("? ", "yellow"), f"{what}: interrupted; no end was recorded")]


def recalled(body: e.Recalled) -> Text:
    """What a role was told from memory."""
    hits, facts = counted(len(body.hits), "similar earlier task"), f"{len(body.facts)} declared by you"
    told = ", ".join((*[hits] * bool(body.hits), *[facts] * bool(body.facts))) or "the agents' record"
    return Text(f"{one_line(body.role, 40)} remembers: {told}", style="dim")


def resumed(body: e.RunResumed) -> Text:
    """That a run continues, what was reopened, and what was lost."""
    opened = f"reopened: {some(body.reopened)}" if body.reopened else ""
    told = "; ".join(part for part in (opened, *(one_line(lost, WIDTH) for lost in body.lost)) if part)
    return Text.assemble(("continues", "bold"), f"  {told}" if told else "")


def changed_after(since: Mapping[str, Later]) -> str:
    """A sentence for each kind of change to files after a run ended, and what that means; '' if there was none."""
    told = ((word, [path for path, now in since.items() if now == word]) for word in FATES)
    sentences = [
        f"{some(paths, 8)} {'was' if len(paths) == 1 else 'were'} {word} after this run ended."
        for word, paths in told
        if paths
    ]
    return " ".join([*sentences, "The run's proof is about its files as they were then."] if sentences else [])


def undone(body: e.Rewound) -> str:
    """What an undo put back, and what it left alone."""
    return f"undone: what the run changed was put back{'; what others changed was left as it is' if body.kept else ''}"


def rewound(body: e.Rewound) -> list[Text]:
    """How a new branch begins: an attempt, an undo, or a rewind with what the role was told."""
    if body.choice is not None:
        return [chosen(body.choice)]
    if body.undo:
        if body.to == "start":
            return [Text(undone(body), style="bold magenta")]
        files = ", with the files as they were then" if body.restored else ""
        return [Text(f"went back to this point{files}", style="bold magenta")]
    if body.attempt:
        return [Text(f"attempt {body.attempt} begins", style="bold magenta")]
    asked = f"{body.switch} is asked instead of {body.role}" if body.switch else f"{body.role} is asked again"
    own = body.words_of == "crew"
    line = Text.assemble(("goes back: ", "bold yellow") if own else ("you, rewind: ", "bold magenta"), one_line(asked, 120))
    if body.guidance:
        line.append(f": {one_line(body.guidance, WIDTH)}")
    return [line, *(Text(f"not undone: {one_line(lost, WIDTH)}", style="yellow") for lost in body.lost)]


def fault(body: e.FaultFound) -> Text:
    """The reply that the crew, looking back, found wrong; or that it found none."""
    where = f"reply {body.reply} of {one_line(body.role, 40)} was wrong" if body.reply else "continues from here"
    return Text.assemble(("looked back: ", "bold yellow"), where, because(body.why))


def pointed(body: e.PointFound) -> Text:
    """Where a grounding model located the described control."""
    point = f"at {body.found.point[0]}, {body.found.point[1]}" if body.found.point else "not found"
    return Text(f"looked for {one_line(body.words, WIDTH)!r}: {one_line(body.error, WIDTH) or point}", style="dim")


def looked_up(body: e.KnowledgeFound) -> list[Text]:
    """What was looked up on the web before the first plan, if anything was."""
    what = one_line(body.error, WIDTH) or f"{len(body.sources)} passages from {some(body.sources) or 'nowhere'}"
    return [Text(f"looked up {one_line(body.words, WIDTH)!r}: {what}", style="dim")] if body.words else []


def tried(body: e.CandidatesTried) -> Text:
    """The results of several candidate programs for the same step."""
    ran = f"{sum(each.ok for each in body.tried)} of {len(body.tried)} candidates ran to the end"
    left = f", {body.left} not tried" if body.left else ""
    seen = " (verified)" if body.proven else ""
    kept = f"candidate {body.chosen} is kept{seen}" if body.chosen is not None else "none of them is kept"
    return Text(f"{ran}{left}; {kept}", style="dim" if body.chosen is not None else "yellow")


def chosen(choice: e.Choice) -> Text:
    """Which attempt was chosen, by whom, and why."""
    who = "you" if choice.by == "human" else "judged, not proven"
    return Text.assemble((f"attempt {choice.attempt} is taken ({who})", "bold magenta"), because(choice.why))


def because(why: str) -> Text:
    """`` - why``, or nothing."""
    return Text(f" - {one_line(why, WIDTH)}", style="dim") if why.strip() else Text()


def started(body: e.RunStarted) -> list[Text]:
    """The task and its surroundings."""
    where = f"crew {body.crew}, model {model_shown(body.model)}, desktop {body.desktop}, workspace {body.workspace}"
    found = [Text.assemble(("task ", "bold"), clean(body.task)), Text(one_line(where, 400), style="dim")]
    if body.attachments:
        found.append(Text(f"attached: {some(body.attachments)}", style="dim"))
    return found + earlier(body)


def earlier(body: e.RunStarted) -> list[Text]:
    """What came with the task: the run that it follows, and notes in its folder."""
    found: list[Text] = []
    if body.follows:
        found.append(Text(f"follows {one_line(body.follows, 40)}: {one_line(body.earlier[-1].task, 200)}", style="dim"))
    for note in body.notes:
        whose = "your instructions" if note.followed else "untrusted data, not as your instructions"
        found.append(Text(f"{one_line(note.path, 200)} is passed to agents as {whose}", style="dim"))
    return found


def goal(body: e.GoalSet) -> list[Text]:
    """The question to answer and the checks, before anything is done."""
    found = [Text.assemble(("question ", "bold"), one_line(body.question, WIDTH))] if body.question else []
    if body.contract is not None:
        found += [requirement(each) for each in body.contract.requirements]
        found += orders(body.contract)
        found += [Text(f"not checked: {one_line(part, 200)}", style="yellow") for part in body.contract.missed]
    return found + [Text.assemble(("will check that ", "bold"), one_line(c.words, 200)) for c in body.checks]


def consents(read: Sequence[Consent]) -> list[Text]:
    """The orders in the user's task, which are carried out without asking again."""
    free = [Text(f"allowed by your task: the crew {one_line(each.words, 300)}", style="magenta") for each in read]
    if any(each.kind == "send" for each in read):
        free.append(Text("still needs your approval (denied if nobody is there): spending, credentials", style="dim"))
    return free


def _uncounted(one: e.Uncounted) -> Text:
    """An order in the task that does not count as consent, and why."""
    quoted = " ... ".join(repr(quote) for quote in one.order.quotes)
    told = f"the task seems to order it ({quoted}), but {one.why}: it needs your approval (denied if nobody is there)"
    return Text(one_line(told, 400), style="yellow")


def orders(contract: Contract) -> list[Text]:
    """The orders of an older contract, which holds them itself; newer runs record them in ``ConsentRead``."""
    told = "needs your approval (denied if nobody is there), because you did not say where, or what to send"
    uncounted = [Text(f"{told}: {one_line(each.words, 200)}", style="yellow") for each in contract.asked]
    return consents(contract.consents) + uncounted


def requirement(one: Requirement) -> Text:
    """What must hold, and how it will be verified."""
    return Text.assemble(
        (f"must hold {one_line(one.id, 12)} ", "bold"),
        one_line(one.says, 200),
        (f"  [{one_line(one.how, 160)}]" if one.how != one.says else "", "dim"),
        (f"  {_objection(one)}" if one.objection is not None else "", "yellow"),
        (f"  contested: {one_line(one.contested, 160)}" if one.contested else "", "yellow"),
        (f"  {one_line(one.rechecked, 240)}" if one.rechecked else "", "yellow"),
        (f"  {'kept' if one.contested else 'reworded'}: {one_line(one.heard, 240)}" if one.heard else "", "yellow"),
    )


def _objection(one: Requirement) -> str:
    objection = one.objection
    said = f"{objection.by}: it contradicts {objection.file}: {objection.why}" if objection is not None else ""
    return one_line(f"{said}; its writer: {one.amended}" if one.amended else said, 320)


_BY = {"rules": "by checks", "probe": "by a program", "judge": "judged", "human": "by a person"}


def by_whom(verifier: str) -> str:
    """A verifier's name in words, such as ``by a program``; '' if ``verifier`` is ''."""
    return _BY.get(verifier, verifier)


def proof(one: Proof) -> Text:
    """The line for a requirement: a tick, a cross, or a question mark if nothing proves it, and what was found."""
    mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "yellow")}[None if one.already else one.holds]
    seen = "it was so before anything was done" if one.already else one.found.removeprefix(f"{one.says}: ")
    # That it is not what was agreed on, and what that was, is never cut off behind what was read.
    seen, word, reworded = seen.partition("reworded: ")
    seen = seen.removesuffix("; ")
    if one.reworded:
        mark, style = "?", "yellow"
        seen = f"reworded after the work: confirm it{f'; {seen}' if seen else ''}"
    by = f" ({by_whom(one.by)})" if one.proven and one.by else ""
    return Text.assemble(
        (f"{mark} ", style),
        f"{one_line(one.requirement, 12)} " if one.requirement else "",
        one_line(one.says, 200),
        (f"{by}{f' - {one_line(seen, 160)}' if seen else ''}", "dim"),
        (f"; {one_line(f'{word}{reworded}', 900)}" if word else "", "yellow"),
    )


def proved(body: e.Proved) -> list[Text]:
    """What was found for every requirement, and what else the proof turned up."""
    if not body.states:
        return [Text.assemble(("proof ", "bold"), "with the program of a skill, once all is done")]
    others = f"the check was run on the result and {counted(body.states - 1, 'other version')} of it"
    tried = Text.assemble(("proof ", "bold"), clean(body.strength.words) or others)
    return [tried, *(proof(one) for one in body.proofs), *_besides(body)]


def _besides(body: e.Proved) -> list[Text]:
    """What a proof turned up besides the requirements."""
    # Where a requirement fails, that alone says what is wrong: what it would have noticed is not known.
    unnoticed = () if any(one.holds is False for one in body.proofs) else body.unnoticed
    rest = [Text(f"no requirement would notice this: {one_line(label, 160)}", style="yellow") for label in unnoticed]
    rest += [
        Text(f"changed, though no requirement mentions it: {one_line(path, 160)}", style="yellow") for path in body.strays
    ]
    rest += [Text(one_line(what, 160), style="yellow") for what in body.unfinished]
    if body.incidental:
        rest.append(Text.assemble("besides: ", incidental(body.incidental)))
    return rest


def incidental(told: Sequence[str]) -> Text:
    """Incidental changes and sends, which the task need not mention, one per line."""
    lines = "\n".join(one_line(each, 160) for each in told[:12])
    more = f"\nand {len(told) - 12} more" if len(told) > 12 else ""
    return Text(f"{lines}{more}\nThese are side effects of what was asked for; they were not checked.", style="dim")


def check_result(result: CheckResult) -> Text:
    """The line for a check: a tick, a cross, or a question mark if it could not be evaluated."""
    mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "yellow")}[result.holds]
    found = Text.assemble((f"{mark} ", style), one_line(result.check.words, 200))
    if result.holds is not True and result.found:
        found.append(f" - found: {one_line(result.found, 160)}", style="dim")
    return found


def plan(value: Plan) -> list[Text]:
    """The subtasks, one per line, each with its role."""
    found: list[Text] = []
    for subtask in value.subtasks:
        done = subtask.status == "done"
        line = Text.assemble(("  ✓ " if done else "  ○ ", "dim"), f"{one_line(subtask.id, 12)}. ")
        line.append(one_line(subtask.goal, WIDTH), style="dim" if done else "")
        line.append(f"  [{one_line(subtask.role, 40) if subtask.role else 'nobody yet'}]", style="cyan")
        if subtask.needs:
            line.append(f"  after {some(subtask.needs, limit=12)}", style="dim")
        found.append(line)
        if subtask.expect:
            found.append(Text(f"      should hold: {one_line(subtask.expect, WIDTH)}", style="dim"))
    return found


def replied(body: e.RoleReplied) -> list[Text]:
    """Which role replied, what it intends to do, and what the call cost."""
    line = Text.assemble(("● ", "blue"), (one_line(body.role, 40), "bold"), "  ")
    if body.reply is None:
        line.append(f"malformed reply: {one_line(body.error, WIDTH)}", style="red")
        return [line.append_text(usage(body))]
    reply = body.reply
    means = one_line(intention(reply), WIDTH)
    line.append(means)
    branch = str(reply.get("branch") or "Continue")
    if branch != "Continue":
        line.append(f"{'  ' if means else ''}({SIGNALS.get(branch) or one_line(branch, 30)})", style="magenta")
    said = [(name, reply.get(name)) for name in _SAID]
    more = [Text.assemble((f"  {name} ", "bold"), one_line(_plain(value), WIDTH)) for name, value in said if value]
    return [line.append_text(usage(body)), *more]


def intention(reply: JsonObject) -> str:
    """What a role says it is about to do, from the first field of its reply that says so; '' if none does."""
    found = next((_plain(reply[name]) for name in _INTENTIONS if reply.get(name)), "")
    if found:
        return found
    operations = reply.get("operations")
    if isinstance(operations, list) and operations:
        return counted(len(operations), "operation")  # pyright: ignore[reportUnknownArgumentType]
    return ""


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(str(item) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)


def usage(body: e.RoleReplied) -> Text:
    """Tokens, seconds and cost of one call; ``unknown`` stands for unknown figures."""
    if body.model in BY_RULE:
        return Text("  (by rule: no model was asked)", style="dim")
    used = body.usage
    words = f"{number(used.input)} in, {number(used.output)} out"
    if used.cached:
        words += f", {number(used.cached)} cached"
    words += f"; {seconds(body.seconds)}"
    if used.cost:
        words += f"; {money(used.cost)}"
    if body.retries:
        words += f"; {body.retries} transport retries"
    return Text(f"  ({words})", style="dim")


def operation(value: e.Operation, *, blocks: bool = False) -> Text:
    """``click_input e3 button=left``, on one line; parameters at their defaults are left out.

    ``blocks``: leave out multi-line parameters, which are shown below the operation.
    """
    text = Text(one_line(value.function, 60), style="cyan")
    if value.control:
        text.append(f" {one_line(value.control, 60)}", style="bold")
    fields = operations.fields_of(value)
    for name, given in value.params.items():
        empty = given == "" and (name not in fields or fields[name].get_default() == "")
        if given is False or given is None or empty:
            continue
        if not (blocks and _is_block(given)):
            text.append(f" {one_line(name, 40)}=", style="dim").append(one_line(_plain(given), 120) or "''")
    return text


def in_words(value: e.Operation, look: Observation | None) -> Text:
    """``Click "Save" in Save As``, on one line."""
    return Text(operations.in_words(value, look), style="cyan")


def _is_block(value: object) -> bool:
    return isinstance(value, str) and "\n" in value.strip()


def _blocks(value: e.Operation) -> list[Text]:
    """The first lines of each multi-line parameter; for a whole program only the number of lines."""
    found: list[Text] = []
    for given in value.params.values():
        if not _is_block(given):
            continue
        written = [line.rstrip() for line in str(given).splitlines() if line.strip()]
        shown = written[:BLOCK] if len(written) <= PROGRAM else []
        found += [Text(f"    {clean(line[:WIDTH])}"[: WIDTH // 2], style="cyan") for line in shown]
        if (more := len(written) - len(shown)) > 0:
            found.append(
                Text(f"    … and {counted(more, 'line')} more" if shown else f"    … {counted(more, 'line')}", style="dim")
            )
    return found


def denied(body: e.OperationDenied) -> Text:
    """Why an operation was denied."""
    who = {"policy": "the policy", "human": "you", "nobody": "nobody was there to allow it"}[body.by]
    text = Text.assemble(("✗ denied", "bold red"), because(body.why))
    return text.append(f" (rule {one_line(body.rule, 60)}, risk {one_line(body.risk, 20)}; {who})", style="dim")


def finished(body: e.ActionFinished) -> Text:
    """How an action ended and what it returned."""
    mark, style = ("✓ ", "green") if body.ok else ("✗ ", "red")
    said = body.text if body.ok else body.error or body.text
    text = Text.assemble((mark, style), one_line(said, WIDTH) or ("done" if body.ok else "failed"))
    if body.exit_code is not None:
        text.append(f"  exit code {body.exit_code}", style="dim")
    return text.append(f"  ({seconds(body.seconds)})", style="dim")


def observed(body: e.Observed | e.LookingAgain | e.LookedElsewhere, *, first: bool) -> list[Text]:
    """What changed since the previous observation, or what is there if nothing did; or which pages are looked at again.
    ``first``: nothing was done before that could have changed anything."""
    if isinstance(body, e.LookedElsewhere):
        alone = [each.address for each in body.pages if each.alone]
        said = f"; without the browser's stored data: {some(alone)}" if alone else ""
        return [Text(f"looked elsewhere: {some([each.address for each in body.pages if not each.alone])}{said}")]
    if isinstance(body, e.LookingAgain):
        return [Text(f"checks again whether it was saved: {some(body.pages)}")]
    changes, where = evidence(body.evidence), f"at desk {body.desk} " if body.desk != e.OWN_DESK else ""
    if body.fresh is not None and body.fresh.lost:
        changes = [one_line(body.fresh.lost, WIDTH), *changes]
    if changes:
        return [Text.assemble((f"saw {where}", "bold"), "; ".join(changes))]
    if body.windows:
        there = f"{counted(len(body.windows), 'window')}, {counted(body.controls, 'control')}"
        return [Text(f"saw {there} {where}".rstrip() if first else f"saw {where}no change ({there})", style="dim")]
    if body.screenshot:
        return [Text("saw its desktop: no window is open", style="dim")]
    return [] if first else [Text("saw no change", style="dim")]


def _sent(one: Sent) -> str:
    """A request that a page made, with its first fields."""
    fields = "; ".join(f"{field.name or 'content'} {field.value!r}" for field in one.fields[:4])
    more = f" and {len(one.fields) - 4 + one.more} more" if len(one.fields) + one.more > 4 else ""
    return f"{one.method} {one.url} {one.status or 'no answer'}{f': {fields}{more}' if fields else ''}"


def evidence(value: Evidence, moved: Mapping[str, str] | None = None) -> list[str]:
    """The facts of an evidence in words, the most informative first. ``moved``: old paths of renamed files, by the new."""
    was = moved or {}
    found: list[str] = []
    for label, items in (
        ("file renamed", [f"{was[new]} -> {new}" for new in value.files_created if new in was]),
        ("file created", [new for new in value.files_created if new not in was]),
        ("file changed", value.files_changed),
        ("file deleted", [old for old in value.files_deleted if old not in was.values()]),
        ("put away", value.put_away),
        ("window opened", value.windows_opened),
        ("window closed", value.windows_closed),
        ("page reloaded", value.loaded),
    ):
        if items:
            found.append(f"{label}: {some(items)}")
    found += [f"window {one_line(a, 60)} is now {one_line(b, 60)}" for a, b in value.titles_changed[:3]]
    for change in value.controls_changed[:4]:
        what = f"{one_line(change.role, 30)} {one_line(change.name or change.label, 60)}"
        found.append(f"{what}: {change.field} {one_line(change.before, 60)!r} is now {one_line(change.after, 60)!r}")
    if len(value.controls_changed) > 4:
        found.append(f"{counted(len(value.controls_changed) - 4, 'more control')} changed")
    if value.controls_appeared:
        found.append(f"{counted(len(value.controls_appeared), 'new control')}: {some(value.controls_appeared, 3, 40)}")
    if value.controls_gone:
        found.append(f"{counted(len(value.controls_gone), 'control')} gone")
    found += [f"sent: {one_line(_sent(each), 240)}" for each in value.sent[:4]]
    if len(value.sent) > 4:
        found.append(f"sent: {counted(len(value.sent) - 4, 'more request')}")
    if value.active_window:
        found.append(f"active window: {one_line(value.active_window[1], 60) or 'none'}")
    if value.focus:
        found.append(f"focus: {one_line(value.focus[1], 40) or 'nowhere'}")
    if value.clipboard:
        found.append(f"clipboard: {one_line(value.clipboard[1], 60)!r}")
    if value.pixels_changed and not found:
        found.append("the picture changed")
    return found


def judged(body: e.Judged) -> list[Text]:
    """A verdict in words: on what, by whom, and why."""
    scope, told = _SCOPES[body.scope], verdict(body.verdict)
    if body.scope == "effect":
        told = Text(_EFFECTS.get(body.verdict.kind, told.plain), style=told.style)
    elif body.scope == "goal" and body.verdict.kind == "replan":
        scope, told = "", Text(REJECTED_CLAIM, style="yellow")
    who = "by a model" if body.scope != "effect" and body.by == "model" else _JUDGES[body.by]
    line = Text.assemble((scope, "bold"), told, (f" ({who})", "dim"))
    return [line.append_text(because(body.verdict.why)), *(check_result(c) for c in body.checks)]


def verdict(value: Verdict) -> Text:
    """The verdict's kind in words."""
    style = {"continue": "green", "accept": "green", "stop": "red"}.get(value.kind, "yellow")
    score = f", score {value.score} of 10" if value.score is not None else ""
    return Text(_VERDICTS[value.kind] + score, style=style)


SAME = {"stopped by you": "stopped by the user"}
"""Outcomes in words, with the reason that only repeats them."""


def outcome_words(outcome: Outcome, not_done: tuple[str, ...] = ()) -> str:
    """How a run ended, in plain words: what verified it, or why it is not done. ``not_done``: what was denied."""
    one = len(not_done) == 1
    barred = f"{counted(len(not_done), 'operation')} {'was' if one else 'were'} denied: {some(not_done, 3)}"
    match outcome.status:
        case "done":
            by = {
                "rules": f"verified by checks{_taken(outcome.strength) or _rejected(outcome.strength)}",
                "probe": f"verified by a program{_taken(outcome.strength) or _rejected(outcome.strength)}",
                "judge": "judged by a model, not proven",
                "rules+model": "verified by checks, and judged by a model that saw the sources",
                "human": "confirmed by you",
                None: "its record does not say what verified it",
            }
            lacks = [*([barred] if not_done else ()), *outcome.strength.unread]
            but = f", but {clean('; '.join(lacks))}" if lacks else ""
            return f"done{' (weak check)' if outcome.strength.loose else ''}{but}, {by[outcome.verified_by]}"
        case "unverified" if outcome.reason == UNCONFIRMED:
            return "unverified: nobody confirmed what was understood, so nothing was done"
        case "unverified":
            told = "unverified: the crew finished, but nothing proves that the task is done"
            return f"{told}; {barred}" if not_done else told
        case "denied":
            return "denied: it needed an operation that was not allowed"
        case "stopped":
            return "planned, not carried out" if outcome.reason == "planned" else "stopped by you"
        case "failed":
            wrong = sum(proof.holds is False for proof in outcome.proofs)
            if not wrong or outcome.reason == REJECTED:
                return f"{outcome.word}: {_reason(outcome.reason)}"
            # What stands above the last thing that went wrong.
            held = f"{wrong} of {counted(len(outcome.proofs), 'requirement')} did not hold"
            return f"{outcome.word}: {held}; {'then ' if outcome.reason in OUTSIDE else ''}{_reason(outcome.reason)}"


def tried_on(strength: Strength, rejected: Sequence[str]) -> str:
    """On what the check was also run, in a sentence with one of the copies that it ``rejected``, best one that shows the
    altered line; '' if on nothing."""
    shown = next((each for each in rejected if each.endswith(")")), next(iter(rejected), ""))
    such = f"; one that it rejected: {one_line(shown, WIDTH)}" if shown and not strength.loose else ""
    return f"{clean(strength.words)}{such}" if strength.words else ""


def reason_for(outcome: Outcome) -> str:
    """The reason for an outcome, without what its words say already."""
    return unsaid(outcome_words(outcome), outcome.why)


def unsaid(words: str, why: str) -> str:
    """The part of a reason that the outcome's words do not say already."""
    count, held, rest = why.partition(UNHELD)
    if held and f": {count.removesuffix('s')}" in words:
        return rest.lstrip(".; ").removeprefix("Then: ")
    return "" if SAME.get(words) == why else why


def _taken(strength: Strength) -> str:
    tried = sum(strength.tried.values())
    return f", which accepted {len(strength.loose)} of {_copies(tried)}" if strength.loose else ""


def _rejected(strength: Strength) -> str:
    tried = sum(strength.tried.values())
    return f", which also rejected {_copies(tried)}" if tried else ""


def _copies(count: int) -> str:
    return f"{count} deliberately spoiled {'copy' if count == 1 else 'copies'}"


_BOUNDS = {
    "repairs": "the work was still wrong after the maximum number of tries for a subtask",
    "appeals": "the planner and those who carry out its plan could not agree",
    "replans": "no plan led to the goal, and the limit on plans was reached",
    "reassignments": "no role of the crew would take a subtask",
    "format_retries": "the model's replies could not be read",
    "stalls": "the crew kept working, and got no further",
    "repeats": "the crew did the same thing again and again, and nothing changed",
    "replies": "a role reached its limit on replies",
    "operations": "it reached the limit on operations",
    "rounds": "it reached the limit on rounds",
    "tokens": "it reached the limit on tokens",
    "seconds": "it reached its time limit",
    "money": "it reached its spending limit",
}
"""What it means that a limit was reached, by the limit's name."""


def _reason(reason: str) -> str:
    if reason.startswith("bound:"):
        name = one_line(reason.removeprefix("bound:"), 40)
        return _BOUNDS.get(name, f"the limit {name!r} was reached")
    known = {
        "infeasible": "the crew found that it cannot be done",
        "gave_up": "the crew gave up",
        NO_FILE: "a file that the task needs is not there",
        NO_COLUMN: "a column that the task names is not in its table",
        NAME_TAKEN: "the file that it was to make is already there",
        NO_FIT: "no skill fits this task",
        UNREADABLE: "a file cannot be read",
        UNUSABLE: "the skill cannot use what it was given",
        NO_CHECK: "the check of the skill could not be run",
        CHANGED: "somebody else changed its files while it was working",
        REJECTED: "you said that it is not right",
        "mismatch": "what it found is not what it needs",
        "environment": "the desktop, the browser or the sandbox failed",
        "model": "the model gave no usable answer",
    }
    return known.get(reason) or one_line(reason) or "no reason was recorded"
