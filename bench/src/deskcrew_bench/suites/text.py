"""A series over a suite in words."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.ways_in.report.text import counted
from deskcrew_bench.suites.targets import Target
from deskcrew_bench.suites.totals import Share, Totals
from deskcrew_bench.suites.trial import By, Trial


def line(trial: Trial) -> str:
    """One trial for a person; what is not as it should be comes with its reason."""
    if trial.lost:
        return f"? {trial.task} (seed {trial.seed}): no result: {trial.why} [{trial.run}]"
    ended = f"{trial.outcome}{f' ({trial.reason})' if trial.reason else ''}, {'right' if trial.right else 'wrong'}"
    mark = "+" if trial.success else "!" if trial.false else "-"
    used = f"{counted(trial.calls, 'call')}, {_tokens(trial)}, {trial.seconds:g} s"
    text = f"{mark} {trial.task} (seed {trial.seed}): {ended}; {used}"
    if trial.success:
        return text
    return f"{text}; {trial.said if not trial.right and trial.said else trial.why} [{trial.run}]"


def summary(summed: Totals) -> str:
    """The series for a person."""
    tokens = " / ".join("?" if count is None else f"{count:g}" for count in (summed.input, summed.output, summed.cached))
    text = (
        f"{counted(summed.trials, 'trial')} of {counted(summed.tasks, 'task')}: success {percent(summed.success)}, "
        f"right but unverified {percent(summed.unverified)}, done but wrong {percent(summed.false)}; "
        f"medians: {summed.calls:g} calls, {tokens} tokens in / out / cached, {summed.seconds:g} s"
    )
    if summed.timed_out:
        text = f"{text}; ended by the clock: {summed.timed_out}"
    if summed.decision is not None:
        share = "?" if summed.cached_share is None else f"{summed.cached_share:.0%}"
        text = f"{text}; {summed.decision:g} prompt tokens a decision, {share} of an episode's from the cache"
    if summed.alone_calls is None or summed.tasks == summed.alone_tasks:
        return text
    return f"{text}; of tasks for one agent: {summed.alone_calls:g} calls, {summed.alone_seconds:g} s"


def standing(targets: Sequence[Target]) -> str:
    """Every figure beside its target, a line each."""
    lines = [f"  {each.what:42}{shown(each):>20}  {bound(each):>9}  {met(each)}" for each in targets]
    return "\n".join((f"  {'':42}{'measured':>20}  {'target':>9}", *lines))


def shown(target: Target) -> str:
    """Its figure, with the interval where it has one."""
    if target.figure is None:
        return "-"
    if target.unit != "%":
        return f"{target.figure:g} {target.unit}".strip()
    return percent(Share(share=target.figure, low=target.low, high=target.high))


def bound(target: Target) -> str:
    """What it is meant to be."""
    value = f"{target.target:.0%}" if target.unit == "%" else f"{target.target:g} {target.unit}".strip()
    return f"{'>=' if target.least else '<='} {value}"


def met(target: Target) -> str:
    """Whether it is, in a word."""
    return {True: "met", False: "missed", None: ""}[target.met]


def named(by: By, regime: str = "") -> str:
    """A series in words: crew, regime and model."""
    model, crew, pool, without = by
    less = "".join(f", no {name}" for name in (*(() if pool else ("pool",)), *without))
    return f"{crew}{less}{f', {regime}' if regime else ''}, {model}"


def _tokens(trial: Trial) -> str:
    if trial.input is None:
        return "tokens unknown"
    return f"{trial.input} / {trial.output} / {trial.cached} tokens in / out / cached"


def percent(share: Share) -> str:
    """A share with its interval."""
    text = f"{share.share:.0%}"
    return text if share.low is None or share.high is None else f"{text} ({share.low:.0%} to {share.high:.0%})"
