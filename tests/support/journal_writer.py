"""A process that writes a journal, for tests that kill it, starve it or run two of it.

    python journal_writer.py JOURNAL RUN EVENTS [--address ADDRESS] [--blob BYTES]

Commits after every third event and says after each commit how many events are on disk. Ends with the message of a
JournalError where there is one. With --blob every event is accompanied by that many bytes of its own.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from deskcrew.errors import JournalError
from deskcrew.facts.events import HumanSaid, RunStarted
from deskcrew.journal.store import Store


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("journal", type=Path)
    parser.add_argument("run")
    parser.add_argument("events", type=int)
    parser.add_argument("--address", default="")
    parser.add_argument("--blob", type=int, default=0)
    args = parser.parse_args()
    noise = random.Random(7)
    committed = 0
    try:
        started = RunStarted(task=args.run, crew="c", model="m", mode="automatic", workspace="w", desktop="none")
        journal = Store(args.journal, address=args.address).create(started, run=args.run)
        with journal.claimed():
            for number in range(2, args.events + 1):
                if args.blob:
                    journal.blob(noise.randbytes(args.blob))
                journal.append(HumanSaid(kind="guide", text=f"event {number}"))
                if number % 3 == 0:
                    journal.commit()
                    committed = number
                    print(number, flush=True)
            journal.close()
    except JournalError as error:
        print(f"after {committed}: {error}", flush=True)
        sys.exit(7)


if __name__ == "__main__":
    main()
