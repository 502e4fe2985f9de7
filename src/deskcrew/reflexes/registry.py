"""The reflexes there are, in the order in which they are asked. A run is given :func:`propose` when it is put together:
nothing else of this package is known to the engine.

A reflex stays here only on measurement (``bench/README.md``): somebody who has read neither it nor a suite writes
twenty wordings, of which it must understand at least half, and none wrongly. Those wordings are then its test.
"""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.reflexes.opens_page import opens_page
from deskcrew.reflexes.opens_program import opens_program
from deskcrew.situation import Proposal, Reflex, Situation

REFLEXES: tuple[Reflex, ...] = (opens_program, opens_page)


def propose(situation: Situation, reflexes: Sequence[Reflex] = REFLEXES) -> Proposal | None:
    """The first proposal of a reflex. None if there is none, or if something about the subtask went wrong or a person
    wants it otherwise."""
    if situation.doubted or situation.repairs:
        return None
    return next((proposal for reflex in reflexes if (proposal := reflex(situation)) is not None), None)
