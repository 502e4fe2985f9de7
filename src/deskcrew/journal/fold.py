"""The state of a run: a fold over its events, and nothing else (event sourcing; docs/design/journal.md).

Everything that the loop bases its decisions on is here, so a run that was killed continues from its journal: fold the
events, then do what :attr:`RunState.phase` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from deskcrew.facts import events as e
from deskcrew.facts.canonical import canonical
from deskcrew.facts.contract import Contract
from deskcrew.facts.json_values import list_in
from deskcrew.facts.messages import AGENT, EVERYBODY, PLANNER, SCHEDULER, Message
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import OUTSIDE, Branch, Check, Outcome, Verdict, used_up
from deskcrew.journal.lanes import Lanes
from deskcrew.journal.records import (
    HUMAN,
    RULES,
    UNASKED,
    Collected,
    Correction,
    Decision,
    Done,
    Spent,
    Turn,
    reject,
)

Phase = Literal[
    "teach",
    "draft",
    "describe",
    "plan",
    "appeal",
    "schedule",
    "decide",
    "execute",
    "review",
    "recover",
    "judge",
    "ask",
    "more",
    "answer",
    "finish",
    "compare",
    "back",
    "end",
]


NAMING = (*e.PATHS, "code", "command")
"""Parameters that name files, or whose text may."""


NOBODY_ALLOWS = "Do not reach the same in another way: do the rest, and say in the end what is missing."
"""What a role is told if nobody is there to allow what it wants to do."""


@dataclass(slots=True)
class RunState(Lanes):
    """The state of a run on its current branch. Changed only by :meth:`apply`."""

    started: e.RunStarted | None = None
    question: str = ""
    checks: tuple[Check, ...] = ()
    contract: Contract | None = None
    """What must hold at the end, if that was set before anything was done."""
    goal_set: bool = False
    """Whether it is settled what must hold, even if there is no contract."""
    proven: e.Proved | None = None
    """The contract's latest evaluation."""
    plan: Plan = field(default_factory=Plan)
    knowledge: e.KnowledgeFound | None = None
    """What a web search found about the task before the first plan."""
    collated: bool = False
    """Whether the planner has assessed the whole task since all subtasks were done."""
    outcome: Outcome | None = None
    interrupted: str = ""
    plan_only: bool = False
    """Whether to stop before the first agent begins to work."""
    attempt: int = 1
    """The number of this attempt at the task."""
    comparing: e.AttemptsShown | None = None
    """The attempts that are being compared, once all have ended."""
    choice: e.Choice | None = None
    """The comparison that selected this attempt."""

    turns: list[Turn] = field(default_factory=lambda: list[Turn]())
    collected: list[Collected] = field(default_factory=lambda: list[Collected]())
    modes: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    """Human modes that a person changed during the run, by role, '' for all others."""
    held: e.SayKind | None = None
    """``pause`` or ``take_over`` while a person has paused the run."""
    wrong: str = ""
    """What a judge or the proof found wrong, until the next decision."""
    fault: e.FaultFound | None = None
    """The origin of what is wrong; None if the crew has not looked for it."""
    faults: int = 0
    """How often the crew has looked for a fault."""
    saved: str = ""
    """Blob of the workspace's manifest at the last save point."""
    unsaved: tuple[str, ...] = ()
    recalled: dict[tuple[str, str], e.Recalled] = field(default_factory=lambda: dict[tuple[str, str], e.Recalled]())
    """What long-term memory recalled, by role and subtask ('' for the whole task)."""
    files_read: dict[str, e.FileRead] = field(default_factory=lambda: dict[str, e.FileRead]())
    pictures_read: dict[str, e.PictureRead] = field(default_factory=lambda: dict[str, e.PictureRead]())
    applications: tuple[str, ...] = ()
    replies: Counter[str] = field(default_factory=lambda: Counter[str]())
    operations: int = 0
    repairs: Counter[str] = field(default_factory=lambda: Counter[str]())
    failing: Counter[str] = field(default_factory=lambda: Counter[str]())
    """How often a role's work was found wrong since it last succeeded, by role."""
    reassigned: Counter[str] = field(default_factory=lambda: Counter[str]())
    mismatched: dict[str, list[str]] = field(default_factory=lambda: dict[str, list[str]]())
    """The roles that rejected a subtask as not theirs, by subtask."""
    appeals: Counter[str] = field(default_factory=lambda: Counter[str]())
    """How often another plan was requested, by the current subtask."""
    replans: int = 0
    rounds: int = 0
    """How often a subtask was executed and judged (M10)."""
    put_away: tuple[str, ...] = ()
    """Files that programs outside would obey, and that were therefore moved away."""
    observation: str = ""
    """Blob of the last observation."""
    first_observation: str = ""
    spent: Spent = field(default_factory=Spent)
    raised: dict[str, float] = field(default_factory=dict[str, float])
    """The limits that a person raised since the run began or was last resumed; its settings have earlier ones."""

    @property
    def task(self) -> str:
        return self.started.task if self.started else ""

    @property
    def agreed(self) -> bool:
        """Whether the contract decides what question to answer. One of the user's own requirements (``--require``) may have
        no question: then the planner decides, as it does without a contract."""
        return self.contract is not None and (self.contract.question != "" or not self.users_own)

    @property
    def users_own(self) -> bool:
        """Whether the contract has only the user's own requirements and, if they ask something, the answer."""
        return self.contract is not None and self.contract.by == "user"

    def given_by(self, operation: e.Operation) -> e.Gives | None:
        """What kind of result an operation returns; None if it only reports that it was done."""
        return self.started.given_by(operation.function) if self.started is not None else None

    @property
    def subtask(self) -> Subtask | None:
        """The current subtask in the lane that has the floor."""
        return self.plan.subtask(self.floor) if self.floor else self.plan.ready

    @property
    def desk(self) -> int:
        """The number of the desktop or browser in use: that of the current subtask, else of the last subtask done."""
        if not self.desks:
            return e.OWN_DESK
        done = [part for part in self.plan.subtasks if part.status == "done"]
        part = self.subtask or (done[-1] if done else None)
        return self.desk_of(part) if part is not None else e.OWN_DESK

    def desk_of(self, part: Subtask) -> int:
        """The number of a subtask's desktop or browser: its own, else that of the last subtask that it needs."""
        parts = {each.id: each for each in self.plan.subtasks} if self.desks else {}
        while part.id not in self.desks and (needs := [id for id in part.needs if id in parts]):
            part = parts[needs[-1]]
        return self.desks.get(part.id, e.OWN_DESK)

    @property
    def own_turns(self) -> list[Turn]:
        """The replies of the lane that has the floor; without lanes, all replies."""
        return [turn for turn in self.turns if turn.subtask == self.floor] if self.floor else self.turns

    @property
    def turn(self) -> Turn | None:
        """The last reply with operations. What is done belongs to it, even if a reviewer replied in between."""
        return next((turn for turn in reversed(self.own_turns) if "operations" in turn.reply), None)

    def messages_to(self, *receivers: str) -> list[Message]:
        """The unused messages to any of these receivers, in this lane; those to the planner also in all lanes that wait for
        another plan."""
        told = [each for each in self.messages if each.receiver in receivers]
        waiting = (each for lane in self.aside.values() if lane.wants_plan for each in lane.messages)
        told += [each for each in waiting if each.receiver == PLANNER and PLANNER in receivers]
        return list(dict.fromkeys(told))

    @property
    def problems(self) -> str:
        """Why another plan is requested, in all lanes that wait for one."""
        return " ".join(each.text for each in self.messages_to(PLANNER))

    @property
    def judgement(self) -> str:
        """The last judgement on this lane's work that has not been used yet; '' if there is none."""
        return next((each.text for each in reversed(self.messages) if each.kind in ("judgement", "refusal")), "")

    @property
    def guidance(self) -> list[Message]:
        """Everything that a person has said to roles."""
        said = (each for lane in (self, *self.aside.values()) for each in lane.messages)
        return [each for each in dict.fromkeys(said) if each.kind == "guidance"]

    @property
    def under_way(self) -> e.Event | None:
        """The action that has started and not ended, in any lane."""
        return next((each.action for each in (self, *self.aside.values()) if each.action is not None), None)

    @property
    def phase(self) -> Phase:
        """What to do next. The loop does it; nothing else decides that."""
        if self.comparing is not None:
            return "compare"
        if self.outcome is not None:
            return "end"
        if self.fault is not None and self.fault.reply:
            return "back"
        if self.stop is None and self.asking is not None and used_up(self.asking.reason):
            return "more"
        if self.action is not None:
            return "recover"
        # Before the review: what stops the run may be just that no review can be had.
        if self.stop is not None:
            return "finish"
        if self.finished_action is not None:
            return "review"
        if self.asking is not None:
            return "ask"
        if self.appeal is not None:
            return "appeal"
        if self.started is not None and self.started.settings.course is not None:
            return "teach"
        if self.started is not None and self.started.settings.guide is not None:
            return "draft"
        if self.started is not None and self.started.settings.experience is not None:
            return "describe"
        if self.wants_plan:
            return "plan"
        subtask = self.subtask
        if subtask is None:
            return "answer"
        if subtask.role is None:
            return "schedule"
        decision = self.decision
        if decision is None or decision.subtask != subtask.id:
            return "decide"
        return "execute" if decision.operations else "judge"

    def collected_by(self, *kinds: str) -> list[Collected]:
        return [found for found in self.collected if found.kind in kinds]

    def phase_of(self, lane: str) -> Phase:
        """What to do next in a lane."""
        floor = self.floor
        self.enter(lane)
        phase = self.phase
        self.enter(floor)
        return phase

    def apply(self, event: e.Event) -> None:
        """Fold one more event. Deterministic: reads nothing but the event and what was folded before."""
        if self.lanes:
            self.enter(event.header.lane)
        self._apply(event)
        if self.lanes:
            now = {part.id: part for part in self.plan.subtasks}
            for lane in [lane for lane, part in self.lanes.items() if now.get(lane) != part]:
                self.close(lane)

    def _apply(self, event: e.Event) -> None:
        body = event.body
        quiet = isinstance(body, e.RoleReplied | e.FileRead | e.Recalled) or self._leaves_alone(body)
        match body:
            case e.RunStarted():
                self.started, self.applications = body, body.applications
                self.plan_only = body.settings.plan_only
            case e.GoalSet():
                self._agreed(body)
            case e.Proved():
                self.proven = body
            case e.PlanPatched():
                self._planned(body)
            case e.LanesOpened():
                self.open(self.plan.subtask(id) for id in body.subtasks)
                self.desks |= body.desks
            case e.RoleCalled():
                self.interrupted, self.called = "", event.number
            case e.RoleReplied():
                self._replied(event, body)
            case e.OperationProposed():
                if self.proposed is None or self.proposed.operation != body.operation:
                    # Else the process ended between the proposal and what would have come of it.
                    self._meet(body.operation)
                    self.unchanged[operation_key(body.operation)] += not (self.clash or body.operation.moves)
                self.proposed = body
            case e.OperationApproved() | e.ChangesFound() | e.SendsFound() | e.CandidatesTried() | e.Confirmed():
                pass
            case e.LookingAgain() | e.LookedElsewhere() | e.Understood():
                pass
            case e.ConsentRead():
                self.malformed, self.malformed_by, self.format_errors, self.cut = "", "", 0, 0
            case e.OperationDenied():
                self._denied(event, body)
            case e.OperationSkipped():
                self.proposed = None
                if self.decision is not None:
                    self.decision.operations.pop(0)
            case e.ActionStarted():
                self.action, self.operations = event, self.operations + 1
            case e.ActionFinished() | e.ActionInterrupted():
                self._ended(event, body)
            case e.Observed():
                self._observed(event, body)
            case e.Judged():
                self._judged(body)
            case e.Recalled():
                self.recalled[body.role, body.subtask or ""] = body
            case e.FileRead():
                self.files_read[body.path] = body
            case e.PictureRead():
                self.pictures_read[body.path] = body
            case e.PointFound():
                self._pay(body.found.usage if not body.error else e.Usage(cost=0.0), body.seconds)
            case e.KnowledgeFound():
                self.knowledge = body
            case e.Saved():
                self.saved, self.unsaved = body.manifest, body.unsaved
            case e.HumanSaid():
                self._said(event, body)
            case e.LimitRaised():
                self._raise(body)
            case e.FaultFound():
                self.wrong, self.fault, self.faults = "", body, self.faults + 1
            case e.Rewound():
                self._rewound(event, body)
            case e.RunResumed():
                self._resumed(body)
            case e.RunFinished():
                self.outcome = body.outcome
            case e.AttemptsShown():
                # What hindered the last attempt does not hinder that all are compared.
                self.comparing, self.stop, self.correction = body, None, None
                self.malformed, self.malformed_by, self.format_errors, self.cut = "", "", 0, 0
            case e.AttemptsCompared():
                self.comparing, self.choice = None, body.choice
            case e.RunInterrupted():
                self.interrupted = body.error
        if not quiet:
            self.fresh = False

    def _planned(self, body: e.PlanPatched) -> None:
        # A person may change what is still to come while a decision is being carried out.
        if body.by != "human" or self.subtask != self.due(body.plan):
            self.decision = None
        if self.wants_plan and body.by == RULES and self.correction is not None and self.correction.role:
            self.correction = None  # what a person said of the plan has been done, and no role was asked
        if self.wants_plan and self.replied is not None and self.replied.role == body.by:
            self.replied.because = body.why
        if body.by == RULES:
            self._pass_on(body.patch)
        self.messages = tuple(each for each in self.messages if each.until != "plan")
        self.plan, self.wants_plan, self.stalled = body.plan, False, 0
        self.appeal, self.failed, self.collated = None, "", False

    def _pass_on(self, patch: PlanPatch) -> None:
        """Pass messages to the planner, the task scheduler or the previous agent on to the agent to which rules give the
        subtask."""
        heir = next((part.role for part in (*patch.add, *patch.edit) if part.role), None)
        before = {part.role for part in self.plan.subtasks for each in patch.edit if part.id == each.id}
        theirs = (PLANNER, SCHEDULER, *before)
        if heir is not None:
            self.messages = tuple(
                each.model_copy(update={"receiver": heir, "until": "reply"})
                if each.receiver in theirs and each.kind in ("judgement", "refusal")
                else each
                for each in self.messages
            )

    def _agreed(self, body: e.GoalSet) -> None:
        self.question, self.checks, self.contract, self.goal_set = body.question, body.checks, body.contract, True
        if body.program and self.proven is not None:
            self.proven = self.proven.model_copy(update={"program": body.program})

    def due(self, plan: Plan) -> Subtask | None:
        """The value of :attr:`subtask` under another plan."""
        return next((part for part in plan.subtasks if part.id == self.floor), None) if self.floor else plan.ready

    def _replied(self, event: e.Event, body: e.RoleReplied) -> None:
        if body.model not in UNASKED:
            self._pay(body.usage, body.seconds)
        # What a person asked for again, or wrote, is not the role's own step (C37).
        asked_again = self.correction is not None and self.correction.role in ("", body.role)
        if self.correction is not None and self.floor and body.model not in UNASKED:
            # What was said in another lane while this one waited for its reply is not in it yet.
            asked_again = asked_again and self.called > self.correction.number
        if not asked_again and body.model not in UNASKED:
            self.replies[body.role] += 1
        if body.reply is None:
            self.malformed, self.malformed_by, self.format_errors = body.error, body.role, self.format_errors + 1
            self.cut = self.cut + 1 if body.cut else 0
            return
        self.malformed, self.malformed_by, self.format_errors, self.cut, self.fresh = "", "", 0, 0, True
        self.correction = None if asked_again else self.correction
        reply = body.reply
        self.replied = Turn(number=event.number, role=body.role, subtask=body.subtask, reply=reply)
        self._use(self.replied)
        self.turns.append(self.replied)
        if note := str(reply.get("message") or ""):
            self._tell(Message(sender=body.role, receiver=AGENT, kind="note", text=note))
        for key in ("information", "answer"):
            text = str(reply.get(key) or "")
            if text and body.subtask is not None:
                self._collect(event, body.role, body.subtask, key, text)
        if body.subtask is not None and "operations" in reply:
            self.stalled, self.wrong, self.fault = self.stalled + 1, "", None
            operations, self.failed = [e.Operation.model_validate(o) for o in list_in(reply["operations"])], ""
            self.decision = Decision(
                event=event.id,
                role=body.role,
                subtask=body.subtask,
                branch=Branch(str(reply.get("branch") or Branch.CONTINUE)),
                operations=operations,
                total=len(operations),
                problem=str(reply.get("problem") or ""),
                answer=str(reply.get("answer") or ""),
            )

    def _tell(self, message: Message) -> None:
        """Add a message to a role. Only the latest judgement on its work is kept."""
        kept = (
            each for each in self.messages if {each.kind, message.kind} != {"judgement"} or each.receiver != message.receiver
        )
        self.messages = (*(each for each in kept if each != message), message)

    def _use(self, turn: Turn) -> None:
        """Move the messages that a reply has used, which are those to its role so far, into its turn."""
        agent = "operations" in turn.reply
        turn.heard = tuple(
            each
            for each in self.messages
            if each.until == "reply"
            and (each.receiver == turn.role or (agent and each.receiver == AGENT and each.sender != turn.role))
        )
        self.messages = tuple(each for each in self.messages if each not in turn.heard)

    def _pay(self, usage: e.Usage, seconds: float) -> None:
        self.spent.add(usage.input, usage.output, usage.cached, usage.cost, seconds)

    def _denied(self, event: e.Event, body: e.OperationDenied) -> None:
        self.barred = True
        if self.action is not None:
            return  # of what a program wants to change: the action's end tells of it
        if self.proposed is not None and self.turn is not None:
            operation = self.proposed.operation
            self.turn.done.append(Done(operation=operation, ok=False, text=f"denied: {body.why}", event=event.id))
            self.failed = self.proposed.subtask
        if self.turn is not None:
            alone = f". {NOBODY_ALLOWS}" if body.by == "nobody" else ""
            why = f"The operation was denied: {body.why}{alone}"
            self._tell(Message(sender=body.by, receiver=self.turn.role, kind="judgement", text=why))
        if self.decision is not None:
            self.decision.operations.pop(0)
        self._drop(f"denied: {body.why}")
        self.proposed = None

    def _ended(self, event: e.Event, body: e.ActionFinished | e.ActionInterrupted) -> None:
        self.action, self.proposed, self.finished_action = None, None, event
        if self.decision is not None and self.decision.operations:
            self.decision.operations.pop(0)
        if isinstance(body, e.ActionInterrupted):
            text, ok = "interrupted: whether it happened is not known", False
            self._drop(text)
            self.finished_action = None
            self.unchanged.pop(operation_key(body.operation), None)  # nobody knows that it changed nothing
            why = f"{body.operation.function} was interrupted; look whether it happened before repeating it."
            self._tell(Message(sender=RULES, receiver=body.role, kind="judgement", text=why))
        else:
            text, ok = body.text if body.ok else _failed(body), body.ok
            gives = self.given_by(body.operation)
            if ok and body.text and gives is not None and gives != "page":  # what a page says is seen, too
                self._collect(event, body.role, body.subtask, gives, body.text, body.reads)
            self.barred = self.barred and not ok
        if self.turn is not None:
            done = Done(operation=body.operation, ok=ok, text=text, event=event.id, number=event.number)
            if isinstance(body, e.ActionFinished):
                done.exit_code, done.reads = body.exit_code, body.reads
            self.turn.done.append(done)

    def _collect(
        self, event: e.Event, role: str, subtask: str | None, kind: str, text: str, reads: tuple[str, ...] = ()
    ) -> None:
        if all(text != known.text for known in self.collected):
            self.stalled = 0
        found = Collected(event.id, event.number, role, subtask, kind, text, reads)  # type: ignore[arg-type]
        self.collected.append(found)

    def _observed(self, event: e.Event, body: e.Observed) -> None:
        self.observation = body.observation
        self.put_away = tuple(dict.fromkeys((*self.put_away, *body.evidence.put_away)))
        if self.turn is not None and self.turn.done and (files := body.evidence.files_created + body.evidence.files_changed):
            # Programs write when they like: what is new at a later look is still of the last operation's making.
            last = self.turn.done[-1]
            last.files = tuple(dict.fromkeys((*last.files, *files)))
        finished = self.finished_action
        if self.turn is not None and finished is not None and event.header.cause == finished.id and body.evidence.on_screen:
            self._outdate_answer(self.turn)
        if self.evidence is None or event.header.cause is not None or not body.evidence.empty:
            # Else it differs from the look before in what evidence is not about.
            self.evidence = body.evidence
        self.first_observation = self.first_observation or body.observation
        if not body.evidence.empty:
            self.unchanged.clear()
            self.stalled = 0
        changed = (*body.evidence.files_created, *body.evidence.files_changed, *body.evidence.files_deleted)
        for found in self.collected if changed else ():
            found.outdated = found.outdated or (found.kind == "content" and not set(changed).isdisjoint(found.reads))
        for lane in self.aside.keys() & self.lanes.keys() if changed else ():
            self.aside[lane].meanwhile = tuple(dict.fromkeys((*self.aside[lane].meanwhile, *changed)))

    def _meet(self, operation: e.Operation) -> None:
        """Note the operation's files that other lanes have changed meanwhile. From then on its lane is aware of them."""
        told = [text for name in NAMING if isinstance(text := operation.params.get(name), str)]
        self.clash = tuple(path for path in self.meanwhile if any(path in text for text in told))
        self.meanwhile = tuple(path for path in self.meanwhile if path not in self.clash)

    def _judged(self, body: e.Judged) -> None:
        if body.verdict.kind == "ask" and used_up(body.verdict.reason):
            self.asking = body.verdict  # it says nothing of the work
            return
        verdict, self.proposed = body.verdict, None
        by_proof = body.scope == "goal" and verdict.kind == "replan"
        if by_proof or (verdict.kind in ("repair", "replan", "appeal") and body.by == "model"):
            self.wrong, self.fault = verdict.why, None
        if verdict.kind in ("repair", "replan", "appeal") and body.by == "model":
            of = self.finished_action if body.scope == "effect" else None
            reject(self.collected, body.subtask, of.id if of is not None else "")
        if body.scope == "effect":
            self.finished_action = None
            if self.turn is not None and self.turn.done:
                last = self.turn.done[-1]
                last.verdict, last.ok = verdict.why, last.ok and verdict.kind == "continue"
        self._tell_verdict(body)
        if verdict.kind != "continue" or body.scope == "subtask" or body.dropped:
            self._drop(verdict.why)
        if self.turn is not None and body.scope in ("effect", "subtask"):
            failed = verdict.kind == "repair"
            self.failing[self.turn.role] = self.failing[self.turn.role] + 1 if failed else 0
        id = body.subtask
        self.rounds += body.scope == "subtask" and verdict.kind != "continue" and body.by in ("rules", "model")
        if body.scope in ("effect", "subtask"):
            self.failed = (id or "") if body.scope == "effect" and verdict.kind == "repair" else ""
        if body.by == "planner":
            self.appeal = self.appeal if verdict.kind == "ask" else None
            self.collated = body.scope == "goal" and verdict.kind != "replan"
        match verdict.kind:
            case "accept" if body.scope == "subtask" and id:
                self.plan = self.plan.done(id)
                self.unchanged.clear()  # another part may need the same operation
                if verdict.why and body.by == "model":  # to change what is left of the plan (M4)
                    self.replans, self.wants_plan = self.replans + 1, True
            case "repair" if id:
                self.repairs[id] += 1
            case "reassign" if id:
                self._reassign(id)
            case "appeal" if id:
                self.appeals[id] += 1
                self.appeal = verdict
            case "replan":
                self.replans, self.wants_plan = self.replans + 1, True
            case "ask":
                self.asking = verdict
            case "stop":
                self.stop = verdict
            case _:
                pass

    def _drop(self, why: str) -> None:
        """End the decision, and record which of its operations were not done, and why."""
        turn = self.turn
        if self.decision is not None and turn is not None:
            if self.decision.operations:
                turn.undone, turn.undone_why = tuple(self.decision.operations), why
            returned = {found.number for found in self.collected if not found.claimed}
            if turn.undone or any(not done.ok or done.number in returned for done in turn.done):
                self._outdate_answer(turn)
        self.decision = None

    def _outdate_answer(self, turn: Turn) -> None:
        """Mark the answer in a reply as outdated: it was written before its operations showed something."""
        for found in self.collected:
            found.outdated = found.outdated or (found.kind == "answer" and found.number == turn.number)

    def _tell_verdict(self, body: e.Judged) -> None:
        """Tell a verdict to the role that it concerns: the one that did the work, assigns it, or plans."""
        verdict, worker = body.verdict, self.turn.role if self.turn is not None else ""
        claimed = body.scope == "subtask" and body.by == RULES  # what a role said of its part itself
        if body.scope == "subtask" and verdict.kind == "accept":
            self.messages = tuple(each for each in self.messages if (each.receiver, each.kind) != (worker, "judgement"))
        match verdict.kind:
            case "reassign":
                receiver = SCHEDULER
            case "replan":
                receiver = PLANNER
            case "accept" if body.scope == "subtask" and body.by == "model":
                receiver = PLANNER
            case "continue" if body.scope == "effect" and body.by == RULES and not body.dropped:
                receiver = ""  # which its result says
            case "continue" | "repair" if body.scope != "answer":
                receiver = worker or AGENT  # where steps were repeated without a role, whoever goes on
            case "ask":
                receiver = self.replied.role if self.replied is not None else ""
            case _:
                receiver = ""
        if verdict.why and receiver:
            over = receiver in (PLANNER, SCHEDULER)
            said = self.replied.role if self.replied is not None and (body.by != RULES or (claimed and over)) else body.by
            kind = "refusal" if claimed and over else "judgement"
            until = "plan" if over else "reply"
            # Who asked for another plan in vain is told, too.
            asked = (turn.role for turn in reversed(self.turns) if turn.subtask == body.subtask)
            both = (receiver, *([next(asked, worker)] if body.by == "planner" and receiver == worker else []))
            for each in dict.fromkeys(both):
                self._tell(Message(sender=said, receiver=each, kind=kind, text=verdict.why, until=until))

    def _reassign(self, id: str) -> None:
        subtask = self.plan.subtask(id)
        if subtask.role:
            self.mismatched.setdefault(id, []).append(subtask.role)
        self.reassigned[id] += 1
        self.plan = self.plan.patched(PlanPatch(edit=(subtask.model_copy(update={"role": None}),)))

    def _said(self, event: e.Event, body: e.HumanSaid) -> None:
        match body.kind:
            case "stop":
                for each in (self, *self.aside.values()):
                    each.stop = Verdict(kind="stop", reason="stopped", why=body.text)
            case "pause" | "take_over":
                self.held = body.kind
            case "resume":
                self.held = None
            case "hand_back":
                self.held = None
                for each in (self, *self.aside.values()):
                    each.decision = None
                    each.unchanged.clear()
                    if body.text:
                        why = f"The user worked on the desktop: {body.text}"
                        each.messages += (Message(sender=HUMAN, receiver=AGENT, kind="judgement", text=why),)
            case "mode":
                self.modes[body.role or ""] = body.text
            case "edit":
                self._take_back()
            case "switch":
                self._take_back()
                self._guided(event, body.role or "", body.text, said="")
                self._switch(body.role or "", body.role_kind)
            case "guide" if self._leaves_alone(body):
                self._remember(event, body.role or "", body.text, said="")
            case "guide" | "answer":
                last = self.decision or self.replied  # not who says in between what the user consents to
                whose, asked = (last.role if last is not None else ""), self.replied
                said = self._take_back() if body.kind == "guide" else ""
                role = body.role or (whose if said else "")
                said = said if asked is not None and asked.role == whose else ""
                self._guided(event, role, body.text, said=said)

    def _raise(self, body: e.LimitRaised) -> None:
        if body.budget != "seconds":
            self.raised[body.budget] = body.limit
        for each in (self, *self.aside.values()):
            if each.asking is not None and used_up(each.asking.reason) == body.budget:
                each.asking = None

    def _guided(self, event: e.Event, role: str, text: str, *, said: str) -> None:
        """Continue with a person's words in place of the current decision."""
        self._remember(event, role, text, said=said)
        self.asking, self.decision, self.barred, self.failed, self.stalled = None, None, False, "", 0

    def _remember(self, event: e.Event, role: str, text: str, *, said: str) -> None:
        """Tell ``text`` to ``role``, '' for all roles. The role called next sees it at the end of its prompt, with the reply
        that it is about. A role that works in another lane is told there."""
        lanes = [lane for lane, part in self.lanes.items() if part.role == role or not (role or self.floor)]
        lanes = lanes if lanes and self.floor not in lanes else [self.floor]
        told = Message(sender=HUMAN, receiver=role or EVERYBODY, kind="guidance", text=text, until="end")
        if text:
            for each in (self, *self.aside.values()) if not role else (self._in(lane) for lane in lanes):
                each.messages = (*(before for before in each.messages if before != told), told)
        for lane in lanes:
            self._in(lane).correction = Correction(role=role, said=said, guidance=text, number=event.number)

    def _leaves_alone(self, body: e.Body) -> bool:
        """Whether a person's intervention leaves the last reply valid: they only paused, resumed, changed a mode or guided
        another role."""
        if not isinstance(body, e.HumanSaid):
            return False
        working = self.decision.role if self.decision else self.replied.role if self.fresh and self.replied else ""
        for_another = body.kind == "guide" and bool(body.role and working) and body.role != working
        return for_another or body.kind in ("pause", "resume", "mode")

    def _take_back(self) -> str:
        """Forget the last reply, if it has had no effect yet. Returns its content, '' if there is nothing to forget."""
        self.decision = None
        if not self.fresh or (turn := self.replied) is None:
            return ""
        self.replied = None
        note = (turn.role, str(turn.reply.get("message") or ""))
        self.messages = (*turn.heard, *(each for each in self.messages if (each.sender, each.text) != note))
        self.turns = [each for each in self.turns if each is not turn]
        self.collected = [found for found in self.collected if found.number != turn.number]
        return canonical(turn.reply).decode()

    def _switch(self, role: str, kind: e.RoleKind) -> None:
        """Let ``role`` continue (COLA figure 6)."""
        subtask, self.appeal = self.subtask, None
        self.messages = tuple(each for each in self.messages if each.until != "plan")
        if kind == "plan":
            self.wants_plan = True
        elif subtask is not None and kind in ("schedule", "decision"):
            self.wants_plan = False
            self.plan = self.plan.patched(
                PlanPatch(edit=(subtask.model_copy(update={"role": role if kind == "decision" else None}),))
            )

    def _rewound(self, event: e.Event, body: e.Rewound) -> None:
        self.interrupted, self.wrong, self.fault = "", "", None
        self.attempt = body.attempt or self.attempt
        self.choice = body.choice
        if body.undo or body.attempt:
            return
        if body.words_of == "crew":
            self.faults, self.decision = body.faults, None
            self.correction = Correction(body.role, body.said, body.guidance, event.number, own=True)
            return
        said = "" if body.switch else body.said
        self._guided(event, body.switch or body.role, body.guidance, said=said)
        if body.switch:
            self._switch(body.switch, body.role_kind)

    def _resumed(self, body: e.RunResumed) -> None:
        self.interrupted, self.applications = "", body.applications
        self.plan_only = body.settings.plan_only
        if self.outcome is not None and self.outcome.continuable:
            self.outcome = None
        self.held = None  # whoever held the run has it going on again
        self.raised.clear()  # its settings have them
        for each in (self, *self.aside.values()):
            if each.stop is not None and (each.stop.reason in OUTSIDE or used_up(each.stop.reason)):
                # What was wrong outside, or used up, is none of the crew's business.
                each.stop = None
            if each.asking is not None and used_up(each.asking.reason):
                each.asking = None
            if not body.stands or each.decision is None or each.decision.operations:
                each.decision = None  # its operations name controls of a screen that is no more
            each.unchanged.clear()
            if body.lost:
                why = f"The desktop was started again: {'; '.join(body.lost)}."
                each.messages += (Message(sender=RULES, receiver=AGENT, kind="judgement", text=why),)


def folded(events: Iterable[e.Event]) -> RunState:
    """The state after these events, which are those of one branch from its start."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def operation_key(operation: e.Operation) -> str:
    """A key that is equal for operations with the same function, control and parameters."""
    return canonical(operation.model_dump(mode="json")).decode()


def _failed(body: e.ActionFinished) -> str:
    """Why an action failed, with what its program had printed by then, which often explains it."""
    printed, mark, _ = body.text.partition(e.STDERR)
    if not body.error or not mark:
        return body.error or body.text
    return f"{body.error}\nBefore that it printed:\n{printed.strip()}"
