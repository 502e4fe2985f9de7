"""What a role sees: a fold over the branch's events, limited to the keys it reads (C17, M7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from deskcrew.actions import action_of, gesture_of
from deskcrew.actions.libraries import CONVERTED, TOLD
from deskcrew.actions.sandbox import SandboxLimits
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.notes import told_as_data, told_as_users
from deskcrew.engine.roles.recalling import declared_text, recalled_text
from deskcrew.engine.roles.role import PROTOCOL, Role
from deskcrew.engine.roles.said import SaidPlan, SaidSchedule, SaidSubtask
from deskcrew.environments.describe import estimate, quote
from deskcrew.environments.search.provider import LONGEST_ADDRESS, LONGEST_EXCERPT
from deskcrew.facts.contract import Contract
from deskcrew.facts.events import Earlier, Operation, WorkspaceNote
from deskcrew.facts.excerpts import beginning, shorten, telling
from deskcrew.facts.json_values import list_in
from deskcrew.facts.messages import AGENT, EVERYBODY, Message, MessageKind
from deskcrew.facts.plan import Plan, Subtask
from deskcrew.facts.run_settings import RunSettings
from deskcrew.journal.fold import RunState, operation_key
from deskcrew.journal.records import Collected, Correction, Done, Turn, accepted

RESULT_LENGTH = 400
SPARED = 200
"""Output that exceeds its limit by no more characters than this is not cut: a model would ask for it again."""
CONTENT_LENGTH = 1200
"""Length of content read from a file, such as a table's rows, in characters."""
SEARCHES = 2
"""Number of latest searches whose full results are shown to the role that made them; all are in the history."""
READ_AT_ONCE = 3
"""How many times as much of several texts as of one is shown, if one reply asked for them: it wants all of them."""
HISTORY_LENGTH = 160
MOST_GONE = 0.1
"""The share of the lines of a page, from 0 to 1, that may differ when it is read again and only the later text is told."""
LEFT_OUT = "turns 1 to {} left out; their notes stand above"
REPORTS = 12
"""Number of latest replies whose reports a role is told."""
BY_THE_STEP = frozenset((
    "addresses", "given", "words", "orders", "deed", "contested", "objected", "named", "contestable", "attempts", "trail",
    "collation", "searching", "windows", "secrets", "left",
))  # fmt: skip
"""Keys that only the step that asks can supply; '' where it does not."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Texts about the environment as it is now, rather than folded from the journal; each computed only when needed."""

    observation: Callable[[], str]
    files: Callable[[], str]
    applications: Callable[[], str]
    target_window: Callable[[], str]
    extra: Mapping[str, str]
    """Keys that the step itself supplies: operation, evidence, excerpts, answer, a reviewer's assignment."""
    skills: Callable[[], str] = str
    """The skills that agents are offered now, one per line, each with those agents."""


def view(
    role: Role,
    crew: Crew,
    state: RunState,
    sight: Sight,
    subtask: Subtask | None,
    *,
    reading: int = 0,
    room: int = 0,
) -> dict[str, str]:
    """The keys that ``role`` reads, each as text; '' if there is nothing. No other key is ever computed.

    ``reading``: how many characters of a text the model is shown at once, from its profile; ``room``: how many tokens of the
    role's own replies and their results it is shown, 0 for all.
    """
    shown = elsewhere(role, crew, state) if reading else {}
    known = (*subtask.needs, subtask.id) if crew.results == "needs" and subtask is not None else None
    told, about = messages(role, state), (role.name, subtask.id if subtask is not None else "")
    makers: dict[str, Callable[[], str]] = {
        "task": lambda: state.task,
        "earlier": lambda: before_text(role, state, reading),
        "question": lambda: state.question,
        "contract": lambda: contract_text(state.contract) if state.contract is not None else "",
        "capabilities": lambda: "\n".join(filter(None, (capabilities(crew, typed=role.kind == "plan"), sight.skills()))),
        "plan": lambda: plan_text(state.plan, crew),
        "problem": lambda: _said(told, "judgement", "refusal"),
        "appeal": lambda: appeal_text(state),
        "knowledge": lambda: knowledge(state),
        "work": lambda: work(state, subtask, reading),
        "files": sight.files,
        "assignment": lambda: "\n".join(s.goal for s in group(state.plan, subtask, crew)),
        "expected": lambda: "\n".join(s.expect for s in group(state.plan, subtask, crew) if s.expect),
        "message": lambda: _said(told, "note"),
        "judgement": lambda: _said(told, "judgement", "refusal"),
        "recalled": lambda: recalled_text(state.recalled.get(about)),
        "declared": lambda: declared_text(state.recalled.get(about)),
        "history": lambda: history(role, crew, state, subtask, reading, room),
        "observation": sight.observation,
        "applications": sight.applications,
        "libraries": lambda: libraries_text(state, reading),
        "system": lambda: state.started.system if state.started is not None else "",
        "target_window": sight.target_window,
        "results": lambda: results(
            state, latest(state) if crew.results == "latest" else of_parts(accepted(state.collected), known), reading, shown
        ),
        "file_content": lambda: facts(of_parts(_contents(state), known), state.question, reading),
        "found": lambda: searches(of_parts(state.collected_by("web"), known)),
        "information": lambda: facts(accepted(state.collected), state.question, reading),
        "reported": lambda: reported(role, state, reading),
        "malformed": lambda: state.malformed if state.malformed_by == role.name else "",
        "guidance": lambda: "\n".join((*told_as_users(_notes(state), reading), *filter(None, [_said(told, "guidance")]))),
    }
    made: dict[str, str] = {}
    for key in role.reads:
        if key in crew.without:
            made[key] = ""
        elif key in sight.extra or key in BY_THE_STEP:
            made[key] = sight.extra.get(key, "")
        else:
            made[key] = makers[key]()
    if reading and made.get("judgement") and made["judgement"] in made.get("history", ""):
        made["judgement"] = ""
    return made


def messages(role: Role, state: RunState) -> list[Message]:
    """Messages to ``role`` that are not used yet, and all that a person told it. Nobody is shown a message that is not
    addressed to them."""
    told = state.messages_to(role.name, role.kind, EVERYBODY)
    told = [each for each in told if each.receiver != AGENT or each.sender != role.name]
    correction = corrected(state, role)
    last = correction.guidance if correction is not None else ""  # which the end of the prompt says
    return [each for each in told if each.kind != "guidance" or each.text != last]


def _said(told: Iterable[Message], *kinds: MessageKind) -> str:
    return "\n".join(dict.fromkeys(each.text for each in told if each.kind in kinds))


def corrected(state: RunState, role: Role) -> Correction | None:
    """The correction that a person gave ``role``, which is asked next; None if there is none. A role that may not read
    guidance gets only corrections addressed to it by name."""
    correction = state.correction
    if correction is None:
        return None
    for_all = correction.role == "" and role.kind in PROTOCOL["guidance"]
    return correction if for_all or correction.role == role.name else None


def own_turns(role: Role, crew: Crew, state: RunState, subtask: Subtask | None) -> list[Turn]:
    """The replies of a role that belong to its present work: those for its subtask, or all of the run's if the crew groups
    subtasks."""
    within = subtask.id if not crew.groups and subtask is not None else None
    return [turn for turn in state.turns if turn.role == role.name and within in (None, turn.subtask)]


def group(plan: Plan, subtask: Subtask | None, crew: Crew) -> tuple[Subtask, ...]:
    """The subtasks that one finish closes: COLA's assignment group (C6), or just this one."""
    if subtask is None:
        return ()
    if not crew.groups:
        return (subtask,)
    todo = [s for s in plan.subtasks if s.status == "todo"]
    start = todo.index(subtask)
    together: list[Subtask] = []
    for following in todo[start:]:
        if following.role != subtask.role:
            break
        together.append(following)
    return tuple(together)


def before_text(role: Role, state: RunState, reading: int = 0) -> str:
    """What precedes the task: earlier runs, and untrusted notes from the workspace."""
    earlier = earlier_text(state.started.earlier) if state.started is not None else ""
    return "\n".join(filter(None, (earlier, *told_as_data(_notes(state), role.kind, reading))))


def _notes(state: RunState) -> tuple[WorkspaceNote, ...]:
    return state.started.notes if state.started is not None else ()


def earlier_text(runs: Iterable[Earlier]) -> str:
    """What was done in the earlier runs that this one follows, oldest first."""
    lines: list[str] = []
    for run in runs:
        outcome = f"{run.status} ({run.why})" if run.why else run.status
        told = (
            ("Earlier task", run.task),
            ("Outcome", outcome),
            ("Question", run.question),
            ("Answer", run.answer),
            ("Files", ", ".join(run.made)),
            ("Found out", "\n".join(run.found)),
        )
        lines += [f"{name}: {text}" for name, text in told if text]
    return "\n".join(lines)


def capabilities(crew: Crew, *, typed: bool = False) -> str:
    """One line for each agent of the pool, from which planner and scheduler choose (C5, C13). ``typed``: instead one for
    each type of subtask that an agent of the pool does, if the crew has types (F2)."""
    if typed and crew.types:
        there = {type: crew.roles[agent].skills for type, agent in crew.types.items() if agent in crew.pool}
    else:
        there = {agent.name: agent.skills for agent in crew.agents}
    return "\n".join(f"- {name}: {skills}" for name, skills in there.items())


def contract_text(contract: Contract) -> str:
    """The requirements, one per line."""
    lines: list[str] = []
    for requirement in contract.requirements:
        checks = "; ".join(check.words for check in requirement.checks)
        lines.append(f"{requirement.id}. {requirement.says}{f' [{checks}]' if checks else ''}")
    return "\n".join(lines)


def libraries_text(state: RunState, reading: int = 0) -> str:
    """What code written by a model may import and start, how long it may run, how much of its output is shown if ``reading``
    is not 0, and whether it has network access."""
    settings = state.started.settings if state.started is not None else RunSettings()
    if settings.network or settings.unsafe_host:
        network = "It reaches the network."
    elif settings.hosts:
        network = f"On the network it reaches only {', '.join(settings.hosts)}."
    else:
        network = "It has no network."
    kept = f"It is stopped after {SandboxLimits().seconds:g} seconds, and only what it writes into the workspace stays."
    kept += f" Of what it prints, {reading:,} characters are shown." if reading else ""
    return f"Code may import {TOLD}; {CONVERTED}. {kept} {network}"


def plan_text(plan: Plan, crew: Crew) -> str:
    """The subtasks, one per line, with the agent or type of each and, if the crew's planner gives them, what it needs
    and the state expected after it."""
    lines: list[str] = []
    for s in plan.in_order if crew.replan == "patch" else plan.subtasks:
        note = "done" if s.status == "done" else crew.type_of(s.role) if s.role else "open"
        needs = f", after {', '.join(s.needs)}" if s.needs and "needs" in crew.details else ""
        lines.append(f"{s.id}. {s.goal} ({note}{needs}){f' -> {s.expect}' if s.expect else ''}")
    return "\n".join(lines)


def appeal_text(state: RunState) -> str:
    """A request for another plan, with its subtask; '' if there is none."""
    subtask = state.subtask
    if state.appeal is None or subtask is None:
        return ""
    return f"{subtask.id}. {subtask.goal}: {state.appeal.why}"


def knowledge(state: RunState) -> str:
    """What the web said about the task before it was planned: quoted passages with their sources."""
    found = state.knowledge
    if found is None:
        return ""
    pairs = zip(found.passages, found.sources, strict=True)
    return "\n".join(f"- {quote(passage, LONGEST_EXCERPT)} ({quote(source, LONGEST_ADDRESS)})" for passage, source in pairs)


def work(state: RunState, subtask: Subtask | None, reading: int = 0) -> str:
    """The operations of a subtask and their results, for the role that checks or fixes it. The agent's own statements are
    marked as such. The latest work is shown in full, up to ``reading`` characters, because in code every line counts."""
    short, lines = max(HISTORY_LENGTH, reading // 20), list[str]()
    own = [each for each in state.turns if subtask is not None and each.subtask == subtask.id and "operations" in each.reply]
    last = next((each for each in reversed(own) if each.done), None)
    for turn in own:
        length = max(CONTENT_LENGTH, reading) if turn is last else short
        said = "; ".join(text for key in ("information", "answer", "problem") if (text := str(turn.reply.get(key) or "")))
        plan = "; ".join(_local_plan(turn))
        lines += [f"(its plan: {plan})"] if plan else []
        lines += [_done_line(done, length, max(length, reading), "") for done in turn.done]
        lines += [_undone_line(turn, length)] if turn.undone else []
        lines += [f"It says: {shorten(said, max(RESULT_LENGTH, reading // 3))}"] if said else []
    return "\n".join(lines)


def reported(role: Role, state: RunState, reading: int = 0) -> str:
    """What other roles reported to this role (M7): for each field only the reports of roles that its file names. Only the
    latest, each with its role and subtask."""
    lines, length = list[str](), max(RESULT_LENGTH, reading // 3)
    goals = {each.id: f", {each.id}. {each.goal}" for each in state.plan.subtasks}
    for turn in state.turns:
        told = ((key, str(turn.reply.get(key) or "")) for key in role.hears if role.hears_of(key, turn.role))
        said = "; ".join(f"{key}: {shorten(text, length)}" for key, text in told if text)
        lines += [f"- {turn.role}{goals.get(turn.subtask or '', '')}: {said}"] if said else []
    return "\n".join(list(dict.fromkeys(lines))[-REPORTS:])


def elsewhere(role: Role, crew: Crew, state: RunState) -> dict[int, str]:
    """Where else a role is shown what an operation read or searched, by the operation's number, so that it need not be
    repeated."""
    there = {key for key in role.reads if key not in crew.without}
    read = _replaced(state) if "file_content" in there else {}
    found = state.collected_by("web")[-SEARCHES:] if "found" in there else []
    return (
        {number: f"shown as {number}" if newer == number else f"read again as {newer}" for number, newer in read.items()}
        | {each.number: "shown whole" for each in found}
        | dict.fromkeys(_pages_read_again(role, state), "read again later")
    )


def _pages_read_again(role: Role, state: RunState) -> list[int]:
    """The numbers of operations by which a role read a page that it later read again in the same way. Where many lines are
    gone since, it was another part of the page: the next of a list."""
    own = (done for turn in state.turns if turn.role == role.name for done in turn.done)
    readings = [done for done in own if done.ok and (action := action_of(done.operation)) and action.gives == "page"]
    latest = {(operation_key(done.operation), done.reads): done for done in readings if done.reads}
    later = ((done, latest[operation_key(done.operation), done.reads]) for done in readings if done.reads)
    return [done.number for done, last in later if last is not done and _gone(done.text, last.text) <= MOST_GONE]


def _gone(text: str, later: str) -> float:
    """The share of the lines of a text, from 0 to 1, that a later text does not have."""
    lines, there = text.splitlines(), set(later.splitlines())
    return sum(line not in there for line in lines) / max(1, len(lines))


def _replaced(state: RunState) -> dict[int, int]:
    """For each operation that read content: if the content has changed since, the number of the latest operation that read
    the same, else its own number."""
    read = state.collected_by("content")
    asked = {each.number: str(each.number) for each in read}
    asked |= {done.number: operation_key(done.operation) for turn in state.turns for done in turn.done}
    latest = {asked[each.number]: each.number for each in read}
    return {each.number: latest[asked[each.number]] if each.outdated else each.number for each in read}


def _contents(state: RunState) -> list[Collected]:
    """The content that was read, without any that was read again after it had changed."""
    latest = _replaced(state)
    return [each for each in state.collected_by("content") if latest[each.number] == each.number]


def of_parts(found: list[Collected], parts: Collection[str] | None) -> list[Collected]:
    """What was found out for these subtasks; for all if ``parts`` is None."""
    return found if parts is None else [each for each in found if each.subtask in parts]


def results(
    state: RunState, found: Sequence[Collected], reading: int = 0, shown: Mapping[int, str] = MappingProxyType({})
) -> str:
    """What finished subtasks ``found`` out: the only data passed between subtasks in the default crew (F5). A small model is
    told only the last finding of each subtask. ``shown``: the result of :func:`elsewhere`."""
    lines: list[str] = []
    for before in state.plan.subtasks:
        texts = [shown.get(each.number, each.text) for each in found if each.subtask == before.id]
        if before.status == "done" and texts:
            told = "\n".join(dict.fromkeys(texts)) if reading else texts[-1]
            lines.append(f"{before.goal} -> {shorten(told, max(RESULT_LENGTH, reading // 3))}")
    return "\n".join(lines)


def latest(state: RunState) -> list[Collected]:
    """The findings of the latest finished subtask whose operations returned anything."""
    done = {each.id for each in state.plan.subtasks if each.status == "done"}
    returned = [each for each in accepted(state.collected) if each.subtask in done and not each.claimed]
    return of_parts(returned, [str(each.subtask) for each in returned[-1:]])


def facts(collected: list[Collected], question: str = "", reading: int = 0) -> str:
    """Findings numbered by their event, so that an answer can cite them; everything that one reply says shares a number.
    Long findings are reduced to what is relevant to ``question``, and repeated reads with the same result are shown once."""
    first: dict[str, int] = {}

    def shown(found: Collected) -> str:
        if reading and len(found.text) > HISTORY_LENGTH and first.setdefault(found.text, found.number) != found.number:
            return f"the same as {first[found.text]}"
        read = found.kind in ("content", "web")
        length = max(CONTENT_LENGTH, reading) if read else max(RESULT_LENGTH, reading // 3)
        text = telling(found.text, question, length) or beginning(found.text, length, spared=SPARED)
        return f"(before it changed) {text}" if found.outdated else text

    said: dict[int, dict[str, None]] = {}
    for found in collected:
        said.setdefault(found.number, {})[shown(found)] = None
    return "\n".join(f"{number}: {'; '.join(texts)}" for number, texts in said.items())


def searches(found: list[Collected]) -> str:
    """The full results of the latest searches."""
    return "\n".join(dict.fromkeys(each.text for each in found[-SEARCHES:]))


def history(role: Role, crew: Crew, state: RunState, subtask: Subtask | None, reading: int = 0, room: int = 0) -> str:
    """Short-term memory: the role's own replies on this branch, their results and its notes (C30, C32), and its latest
    fine-grained plan (C7's T_fg).

    A model that can read little, and every model if the crew groups subtasks, is shown the last m replies. For others each
    call only appends to the text of the call before, so that caches hit, until there are more than ``room`` tokens: the
    oldest replies are then left out, several at a time, but their notes stay."""
    own = own_turns(role, crew, state, subtask)
    if not role.short_term:
        return ""
    if not reading or crew.groups:
        own = own[-role.short_term :]
    length, noted = max(HISTORY_LENGTH, reading // 20), max(RESULT_LENGTH, reading // 3)
    shown = elsewhere(role, crew, state) if reading else {}
    told = [_turn_lines(role, state, turn, length, noted, reading, shown) for turn in own]
    first = _left_out([sum(map(estimate, lines)) for lines in told], room) if room else 0
    lines = [note for turn in own[:first] for note in _notes_of(turn, noted)]
    lines += [f"({LEFT_OUT.format(first)})"] if first else []
    lines += [line for each in told[first:] for line in each]
    plans = map(_local_plan, reversed(own))
    plan = next((steps for each in plans if (steps := "; ".join(each))), "")
    return "\n".join([*lines, f"Your plan, as you last gave it: {plan}"] if plan else lines)


def _local_plan(turn: Turn) -> list[str]:
    """The next steps that an agent's reply plans."""
    return [str(each) for each in list_in(turn.reply.get("local_plan"))]


def _left_out(sizes: Sequence[int], room: int) -> int:
    """How many of the oldest replies are left out. When there is no room for another, enough are left out to halve what is
    shown, so that this seldom happens."""
    first = size = 0
    for at, more in enumerate(sizes):
        size += more
        if size > room:
            while size > room // 2 and first < at:
                size -= sizes[first]
                first += 1
    return first


def _notes_of(turn: Turn, length: int) -> list[str]:
    """The parts of a reply that its role should know later."""
    kept = (("You noted", "information"), ("You gave as the answer", "answer"))
    return [f"{what}: {shorten(text, length)}" for what, key in kept if (text := str(turn.reply.get(key) or ""))]


def _turn_lines(
    role: Role, state: RunState, turn: Turn, length: int, noted: int, reading: int, shown: Mapping[int, str]
) -> list[str]:
    """What one reply said, and its results. Output and content not ``shown`` elsewhere get up to ``reading`` characters, all
    together :data:`READ_AT_ONCE` times as many."""
    lines = [f"({text})" for key in ("intention", "summary") if (text := str(turn.reply.get(key) or ""))]
    lines += _notes_of(turn, noted)
    match role.kind:
        case "plan":
            return lines + _planned_lines(turn)
        case "schedule":
            return lines + _assigned_lines(turn, state.plan)
        case "review":
            return [*lines, _reviewed_line(turn, state, length)]
        case "check":
            seen = shorten(str(turn.reply.get("observation") or ""), length)
            lines += [f"You saw: {seen}"] if seen else []
            return [*lines, f"- {turn.reply.get('verdict')}; {shorten(str(turn.reply.get('why') or ''), length)}"]
        case _:
            texts = (len(done.text) for done in turn.done if _prints(done) and done.number not in shown)
            printed = max(length, min(reading, _most(texts, READ_AT_ONCE * reading)))
            lines += [_done_line(done, length, printed, shown.get(done.number, "")) for done in turn.done]
            return lines + ([_undone_line(turn, length)] if turn.undone else [])


def _most(lengths: Iterable[int], room: int) -> int:
    """How many characters of each text are shown at most, so that all fit: what short ones leave is for the others."""
    rest = sorted(lengths)
    while len(rest) > 1 and rest[0] * len(rest) < room:
        room -= rest.pop(0)
    return room // max(1, len(rest))


def _planned_lines(turn: Turn) -> list[str]:
    """A planner's reply: what it planned or changed, and what it was told about the plan before."""
    plan = SaidPlan.model_validate(turn.reply)
    told = [_entry(each) for each in plan.subtasks]
    told += [f"inserted before {each.before}: {_entry(each)}" for each in plan.insert or ()]
    told += [f"revised {each.subtask}: {_entry(each)}" for each in plan.revise]
    told += [f"dropped {each}" for each in plan.drop]
    told += [f"contested {each.requirement}: {each.why}" for each in plan.contests]
    because = f" (because: {turn.because})" if turn.because else ""
    if verdict := turn.reply.get("verdict"):
        why = str(turn.reply.get("why") or "")
        return [f"- You decided: {verdict}{f'; {why}' if why else ''}"]
    return [f"- You planned{because}: {'; '.join(told)}"] if told else []


def _entry(each: SaidSubtask) -> str:
    """What a planner said about one subtask."""
    whose = each.type or each.role
    told = f"{each.goal} ({whose})" if whose else each.goal
    return f"{told} -> {each.expect}" if each.expect else told


def _assigned_lines(turn: Turn, plan: Plan) -> list[str]:
    """A scheduler's reply: its assignments, or why it wanted other subtasks."""
    assigned = SaidSchedule.model_validate(turn.reply).assignments
    goals = {each.id: f"{each.id}. {each.goal}" for each in plan.subtasks}
    owners = "; ".join(f"{goals.get(each.subtask, each.subtask)} -> {each.role}" for each in assigned)
    problem = str(turn.reply.get("problem") or "")
    told = (("- You assigned: ", owners), (f"- You replied {turn.reply.get('branch')}: ", problem))
    return [f"{what}{text}" for what, text in told if text]


def _reviewed_line(turn: Turn, state: RunState, length: int) -> str:
    """A reviewer's reply: its verdict on the last operation that had ended by then."""
    ended = (done for each in reversed(state.turns) for done in reversed(each.done) if 0 < done.number < turn.number)
    done = next(ended, None)
    told = operation_text(done.operation, length) if done is not None else "an operation"
    return f"- {told}: {turn.reply.get('verdict')}; {shorten(str(turn.reply.get('judgement') or ''), length)}"


def _done_line(done: Done, length: int, printed: int, elsewhere: str) -> str:
    """One operation and its result. ``printed``: how many characters of output or read content are shown, with its line
    breaks if it is long; ``elsewhere``: where else the role is shown it, '' for nowhere."""
    whole = _prints(done) and printed > HISTORY_LENGTH
    told = done.text if _is_table(done) else done.verdict or done.text
    if elsewhere and len(done.text) > len(elsewhere):
        told = "; ".join(filter(None, (done.verdict, elsewhere)))
    elif whole and (_reads(done) or not done.ok):
        told = "; ".join(filter(None, (done.verdict if done.verdict not in done.text else "", done.text)))
    told = beginning(told, printed, spared=SPARED) if whole else shorten(told.replace("\n", " "), length)
    # The next program is often the last one with a change: one that is shown cut would have to be written anew.
    operation = operation_text(done.operation, printed if whole else length)
    return f"- {operation}: {'done' if done.ok else 'FAILED'}{'; ' + told if told else ''}"


def _prints(done: Done) -> bool:
    return done.exit_code is not None or _reads(done)


def _reads(done: Done) -> bool:
    """Whether an operation read content, a page or search results, and returned them."""
    action = action_of(done.operation)
    return action is not None and action.gives in ("content", "page", "web") and done.ok and bool(done.text)


def _is_table(done: Done) -> bool:
    """Whether an operation returned the contents of cells that were clicked."""
    return gesture_of(done.operation) == "press" and _reads(done)


def _undone_line(turn: Turn, length: int) -> str:
    """The operations of a reply that were not done, and why, unless the line before says that."""
    last = turn.done[-1] if turn.done else None
    told = last is not None and turn.undone_why in (last.verdict, last.text)
    why = f" ({shorten(turn.undone_why.replace(chr(10), ' '), length)})" if turn.undone_why and not told else ""
    after = " after that" if last is not None else ""
    return f"- NOT DONE{after}{why}: {'; '.join(operation_text(each, length) for each in turn.undone)}"


def operation_text(operation: Operation, length: int = HISTORY_LENGTH) -> str:
    """An operation on one line, without parameters that have their default: ``scroll 7 wheel_dist=3``."""
    words = [operation.function] + ([operation.control] if operation.control else [])
    action = action_of(operation)
    fields = action.params.model_fields if action is not None else {}
    for name, value in operation.params.items():
        if value == "" or (name in fields and value == fields[name].default):
            continue
        words.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
    return shorten(" ".join(words), length)
