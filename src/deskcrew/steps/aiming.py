"""Aim: what an operation on the picture hits, before it is proposed: what a role describes is found, and a point inside a
control names this control.

So guard, consent, questions and history are about the thing that is operated. What a grounding model said is an event before
it is used.
"""

from __future__ import annotations

import time

from deskcrew.actions.pointing import DESCRIBED
from deskcrew.environments.pointing import CLICK, aim, points_of
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.events import Grounded, Operation, PointFound
from deskcrew.run import Run


async def aimed(run: Run, operation: Operation) -> Operation:
    """The operation as it is proposed. Raises ActionError, worded for the model, where what it describes is not to be found,
    or a point lies outside of the picture."""
    if operation.function == DESCRIBED and DESCRIBED in run.actions:
        operation = await _found(run, operation)
    points = points_of(operation.function, operation.params)
    if not points:
        return operation
    first, *_ = [aim(point, run.now) for point in points]
    return operation.model_copy(update={"control": first.control.label if first.control is not None else None})


async def _found(run: Run, operation: Operation) -> Operation:
    """The click on the point that a grounding model finds."""
    grounder, picture = run.desk.grounder, run.now.screenshot
    if grounder is None or picture is None:
        raise ActionError("There is no picture to find it in.")
    words = str(operation.params.get("what") or "")
    began, found, error = time.monotonic(), Grounded(), ""
    try:
        found = await grounder.point(picture, words)
    except ModelFailure as failure:
        error = str(failure)
    body = PointFound(
        words=words,
        picture=run.journal.blob(picture),
        model=grounder.name,
        found=found,
        error=error,
        seconds=round(time.monotonic() - began, 3),
    )
    run.journal.append(body, lane=run.lane)
    if error:
        raise ActionError(f"{error} Point at it yourself, or go another way.")
    if found.point is None:
        raise ActionError(f"{words!r} was not found in the picture. Describe it by what can be seen, or go another way.")
    x, y = found.point
    kept = {name: value for name, value in operation.params.items() if name != "what"}
    return Operation(function=CLICK, params={"x": x, "y": y, **kept})
