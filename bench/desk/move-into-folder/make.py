"""Files of several kinds. `make.py SEED DIR`"""

import io
import json
import random
import sys
from pathlib import Path

from openpyxl import Workbook
from PIL import Image

STEMS = ("agenda", "budget", "contract", "delivery", "estimate", "feedback", "guests", "hotel", "itinerary", "logo",
         "minutes", "offer", "poster", "quote", "rent", "survey", "travel", "venue")  # fmt: skip
KINDS = {"CSV": "csv", "PNG": "png", "Excel": "xlsx", "HTML": "html", "text": "txt"}
FOLDERS = ("archive", "collected", "for-anna", "old-stuff", "sorted", "to-print")
MOVED = 4


def facts(seed):
    """Which files are meant and which not. One of the others has the meant kind in its name. Text files are never meant:
    who would say what is none?"""
    chance = random.Random(f"move-into-folder {seed}")
    first = chance.choice(list(KINDS)[:-1])
    kinds = [first, *chance.sample([kind for kind in KINDS if kind != first], 3)]
    stems = chance.sample(STEMS, MOVED + 7)
    names = [f"{stem}.{KINDS[kinds[0]]}" for stem in stems[:MOVED]]
    others = [f"{stem}.{KINDS[kinds[1 + at % 3]]}" for at, stem in enumerate(stems[MOVED:])]
    others.append(f"{KINDS[kinds[0]]}-checklist.{KINDS[kinds[1]]}")
    return {"folder": chance.choice(FOLDERS), "kind": kinds[0], "moved": names, "others": others}


def content(name):
    """The bytes of the file of that name."""
    stem, _, ending = name.rpartition(".")
    held = io.BytesIO()
    if ending == "png":
        Image.new("RGB", (len(stem) * 8, 40), "steelblue").save(held, "PNG")
    elif ending == "xlsx":
        book = Workbook()
        book.active.append((stem, len(stem)))
        book.save(held)
    else:
        texts = {"csv": f"topic,pages\n{stem},3\n", "txt": f"About {stem}.\n", "html": f"<h1>{stem.title()}</h1>\n"}
        held.write(texts[ending].encode())
    return held.getvalue()


def main(seed, folder):
    made = facts(seed)
    for name in (*made["moved"], *made["others"]):
        (Path(folder) / name).write_bytes(content(name))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
