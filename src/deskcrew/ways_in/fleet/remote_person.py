"""Questions to a person through the database: they can be answered from any machine."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import anyio.to_thread
from pydantic import TypeAdapter

from deskcrew.engine.human.questions import Question, Response
from deskcrew.engine.human.responder import Nobody
from deskcrew.ways_in.fleet.submissions import Submissions
from deskcrew.ways_in.running.messages import AnyQuestion, AnyResponse

EVERY = 1.0
"""Seconds between two checks for an answer."""
HOLDS = 60.0
"""Seconds for which a run keeps its place on a node while it waits for an answer."""
QUESTION: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
RESPONSE: TypeAdapter[Response] = TypeAdapter(AnyResponse)


class RemotePerson(Nobody):
    """The person of a run of a fleet, who says nothing unasked.

    ``keep``: commits the journal up to the question; ``let_go``: cancels the run cleanly. A run that has waited for
    ``HOLDS`` seconds makes room for others. Once it is answered it continues, here or elsewhere: it asks the same question
    again, and gets the answer. An answer counts only for the question as it was shown.
    """

    def __init__(
        self,
        submissions: Submissions,
        run: str,
        *,
        keep: Callable[[], None],
        let_go: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        super().__init__(tell)
        self._submissions, self._run, self._keep, self._let_go = submissions, run, keep, let_go

    async def ask(self, question: Question) -> Response | None:
        self._keep()
        asked = QUESTION.dump_json(question).decode()
        with anyio.move_on_after(HOLDS):
            while True:
                answer = await anyio.to_thread.run_sync(self._submissions.ask, self._run, asked)
                if answer is not None:
                    await anyio.to_thread.run_sync(self._submissions.taken, self._run)
                    return RESPONSE.validate_json(answer)
                await anyio.sleep(EVERY)
        self.tell("waits for an answer, and meanwhile makes room for others")
        self._let_go()
        await anyio.sleep_forever()
        return None
