"""The replies of a run's models, as ``--model recorded:FILE`` replays them."""

from __future__ import annotations

from deskcrew.engine.replay.cassette import text_of
from deskcrew.facts.events import RoleCalled, RoleReplied
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.recorded import RecordedReply


def replies_of(journal: Journal) -> tuple[RecordedReply, ...]:
    """What models replied on the run's branch, oldest first."""
    replies, prompt = {id(reply) for reply in model_replies(journal.events)}, ""
    found: list[RecordedReply] = []
    for event in journal.events:
        if isinstance(event.body, RoleCalled):
            prompt = prompt_of(journal, event.body)
        elif isinstance(event.body, RoleReplied) and id(event.body) in replies:
            found.append(RecordedReply.to(prompt, event.body.role, text_of(journal, event.body)))
    return tuple(found)


def prompt_of(journal: Journal, called: RoleCalled) -> str:
    """The text of a prompt."""
    texts = [part.blob for part in called.parts if part.kind == "text"]
    return "\n\n".join(journal.read_blob(blob).decode(errors="replace") for blob in texts)
