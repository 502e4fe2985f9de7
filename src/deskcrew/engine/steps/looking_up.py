"""Look one thing up on the web before the first plan, if the crew wants it (CoAct A7).

At most 100 words are taken, each passage with its source. What strangers wrote is for the planner alone, as data; no answer
can rest on it, and it proves nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import anyio.to_thread
from pydantic import TypeAdapter

from deskcrew.actions.searching import WEB_SEARCH
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import Search
from deskcrew.engine.steps.approving import ruling_on
from deskcrew.environments.search.provider import SearchHit
from deskcrew.errors import SearchFailure
from deskcrew.facts.events import KnowledgeFound

COUNT = 5
"""Number of results requested."""
WORDS, WORDS_EACH = 100, 40
"""The maximum number of words of all passages, and of one."""
HITS = TypeAdapter(tuple[SearchHit, ...])


async def look_up(run: Run, usual: Now) -> bool:
    """Look up on the web what the planner wants to know before its first plan, if the crew does that. False: ask again.
    ``usual``: what any reply of the planner may name."""
    record, journal = run.record, run.record.journal
    state, provider = record.state, run.surroundings.desk.search
    if not record.crew.knowledge or state.plan.subtasks or state.knowledge is not None:
        return True
    role = record.crew.roles[record.crew.planner]
    if (
        provider is None
        or WEB_SEARCH.name not in run.surroundings.actions
        or not _allowed(run.authorization, role, state.task)
    ):
        return True
    reply = await run.prompting.asker.ask(
        role, replace(usual, searching=True), run.prompting.sight(role, searching=provider.name), Search
    )
    if reply is None:
        return False
    called, words = journal.latest, " ".join(reply.search.split())
    if not words or not _allowed(run.authorization, role, words):
        journal.append(KnowledgeFound(provider=provider.name), cause=called)
        return True
    began, hits, error = time.monotonic(), (), ""
    try:
        hits = await anyio.to_thread.run_sync(provider.search, words, COUNT, abandon_on_cancel=True)
    except SearchFailure as failure:
        error = failure.whole
    told = passages(hits)
    body = KnowledgeFound(
        words=words,
        provider=provider.name,
        hits=journal.blob(HITS.dump_json(hits)),
        passages=tuple(text for text, _ in told),
        sources=tuple(source for _, source in told),
        error=error,
        seconds=round(time.monotonic() - began, 3),
    )
    journal.append(body, cause=called)
    return True


def passages(hits: Sequence[SearchHit]) -> tuple[tuple[str, str], ...]:
    """Passages from search results with their addresses, best first, at most :data:`WORDS` words in total."""
    told: list[tuple[str, str]] = []
    left = WORDS
    for each in hits:
        words = each.excerpt.split()
        share = min(WORDS_EACH, left)
        if words and share:
            told.append((" ".join(words[:share]) + ("…" if len(words) > share else ""), each.address))
            left -= min(len(words), share)
    return tuple(told)


def _allowed(authorization: Authorization, role: Role, words: str) -> bool:
    """Whether the policy allows sending these words to the service without asking anybody."""
    operation = WEB_SEARCH.operation(words=words, count=COUNT)
    ruling = ruling_on(authorization, role.name, operation, now=authorization.record.journal.events[-1].header.time)
    return ruling.effect == "allow" and not ruling.doubt
