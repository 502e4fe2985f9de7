"""Several candidate programs for one operation: each runs on a copy of the workspace, and the one whose result meets the
requirements is kept (the judges of MMAC and FRIDAY on what code left, M9 and F13, applied before anything is kept)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated

from pydantic import Field, create_model

from deskcrew.actions.action import Action, Choosing, Result, Scene, Weighed
from deskcrew.actions.code import CodeParams, ran, run_python_code, settled, told
from deskcrew.actions.params import IN_A_FENCE, Brief
from deskcrew.actions.sandbox import Completed
from deskcrew.environments.layer import Layer
from deskcrew.facts.events import Candidate, CandidatesTried
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Control

_TOLD = 300
"""The maximum length of the reason why a candidate failed."""
_OTHERS = (
    "Up to {} other complete programs for the same job. Give some where the code changes files and could go wrong: each "
    "runs on a copy of the workspace, the one that meets the requirements is kept, and nothing of the others."
)


class CandidateParams(CodeParams):
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Trial:
    code: str
    layer: Layer
    done: Completed
    result: Result
    weighed: Weighed

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The smallest is the best: success first, then the fewest faults, then the most requirements that hold."""
        weighed = self.weighed
        return not self.result.ok, len(weighed.fails) + len(weighed.strays), -len(weighed.holds)


def name_of(number: int) -> str:
    """The name of a candidate's layer."""
    return f"candidate-{number}"


def with_candidates(actions: Mapping[str, Action], most: int) -> dict[str, Action]:
    """The actions, with up to ``most`` candidates in the one that runs Python code."""
    return {
        name: replace(action, params=_params(most), run=run_candidates) if action.run is run_python_code else action
        for name, action in actions.items()
    }


@lru_cache
def _params(most: int) -> type[CandidateParams]:
    # Each is as long as code may be.
    others = Annotated[
        tuple[str, ...], IN_A_FENCE, Brief(20_000), Field(max_length=most - 1, description=_OTHERS.format(most - 1))
    ]
    return create_model("Candidates", __base__=CandidateParams, others=(others, ()))


def run_candidates(scene: Scene, params: CandidateParams, control: Control | None) -> Result:
    """Run Python in the workspace and see what it prints."""
    codes = tuple(dict.fromkeys((params.code, *params.others)))
    choosing = scene.choosing
    if choosing is None or len(codes) == 1 or scene.sandbox.unsafe_host:
        return run_python_code(scene, params, control)
    with ExitStack() as layers:
        trials: list[_Trial] = []
        for number, code in enumerate(codes, 1):
            layer = layers.enter_context(scene.sandbox.layer(scene.hidden(), name_of(number)))
            assert layer is not None, "there is a sandbox"
            trials.append(_tried(scene, choosing, code, params.main_function, layer))
            if trials[-1].done.killed_by == "close" or trials[-1].weighed.proven:
                break
        if trials[-1].done.killed_by == "close":
            return trials[-1].result
        best = min(trials, key=lambda trial: trial.rank)
        number = trials.index(best) + 1
        choosing.tell(
            CandidatesTried(
                tried=tuple(_record(choosing, trial) for trial in trials),
                chosen=number if best.result.ok else None,
                proven=best.weighed.proven,
                left=len(codes) - len(trials),
            )
        )
        if not best.result.ok:
            return _none(trials)
        kept_back = settled(scene, best.layer, best.done)
    return told(scene, best.code, best.result, kept_back)


def _tried(scene: Scene, choosing: Choosing, code: str, main_function: str, layer: Layer) -> _Trial:
    done, result = ran(scene, code, main_function, layer)
    refused = "" if done.killed_by or not result.ok else layer.refused()
    if refused:
        result = result.model_copy(update={"ok": False, "error": refused})
    return _Trial(code, layer, done, result, choosing.weigh(layer) if result.ok else Weighed())


def _record(choosing: Choosing, trial: _Trial) -> Candidate:
    return Candidate(
        code=choosing.keep(trial.code),
        ok=trial.result.ok,
        error=shorten(trial.result.error, _TOLD),
        output=choosing.keep(trial.result.text),
        changes=choosing.keep(trial.layer.changes().model_dump_json()),
        holds=trial.weighed.holds,
        fails=trial.weighed.fails,
        strays=trial.weighed.strays,
    )


def _none(trials: list[_Trial]) -> Result:
    """The result if none succeeded."""
    why = "; ".join(f"{number}: {shorten(trial.result.error, _TOLD)}" for number, trial in enumerate(trials, 1))
    error = f"None of {len(trials)} candidates ran to its end, and nothing that they wrote was kept. {why}"
    return trials[0].result.model_copy(update={"error": error})
