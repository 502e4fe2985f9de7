"""A series over a desk suite in words."""

from __future__ import annotations

from deskcrew.bench.desk import Trial
from deskcrew.bench.desk_totals import Share, Totals
from deskcrew.cli.text import counted


def line(trial: Trial) -> str:
    """One trial for a person; what is not as it should be comes with its reason."""
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
        f"{counted(summed.trials, 'trial')} of {counted(summed.tasks, 'task')}: success {_share(summed.success)}, "
        f"right but unverified {_share(summed.unverified)}, done but wrong {_share(summed.false)}; "
        f"medians: {summed.calls:g} calls, {tokens} tokens in / out / cached, {summed.seconds:g} s"
    )
    if summed.alone_calls is None:
        return text
    return f"{text}; of tasks for one agent: {summed.alone_calls:g} calls, {summed.alone_seconds:g} s"


def _tokens(trial: Trial) -> str:
    if trial.input is None:
        return "tokens unknown"
    return f"{trial.input} / {trial.output} / {trial.cached} tokens in / out / cached"


def _share(share: Share) -> str:
    text = f"{share.share:.0%}"
    return text if share.low is None or share.high is None else f"{text} ({share.low:.0%} to {share.high:.0%})"
