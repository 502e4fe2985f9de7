"""A plan of four rooms. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOMS = ("Foyer", "Archive", "Kitchen", "Workshop", "Studio", "Library", "Laundry", "Pantry")
SPACES = {"office": "office", "draw": "drawing", "text": "text", "svg": "svg-compatible"}
NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<office:document {} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.graphics">'
)
RECT = '<draw:rect svg:x="{}cm" svg:y="{}cm" svg:width="6cm" svg:height="3cm"><text:p>{}</text:p></draw:rect>'
PLACES = ((2, 3), (10, 3), (2, 9), (10, 9))


def drawing(rooms):
    """A drawing of a rectangle for each room, in one file of XML."""
    spaces = " ".join(f'xmlns:{short}="{NAMESPACE.format(name)}"' for short, name in SPACES.items())
    shapes = "".join(RECT.format(x, y, room) for (x, y), room in zip(PLACES, rooms, strict=True))
    page = f'<draw:page draw:name="Floor">{shapes}</draw:page>'
    return f"{HEAD.format(spaces)}<office:body><office:drawing>{page}</office:drawing></office:body></office:document>"


def shapes(text):
    """What stands in each shape of a drawing, and where its upper left corner is, in millimetres."""
    office, draw, words, svg = (f"{{{NAMESPACE.format(name)}}}" for name in SPACES.values())
    found = []
    for page in ElementTree.fromstring(text).findall(f"{office}body/{office}drawing/{draw}page"):
        for shape in page:
            if shape.tag.startswith(draw) and (place := [shape.get(f"{svg}{axis}", "") for axis in "xy"]) != ["", ""]:
                said = "\n".join("".join(line.itertext()) for line in shape.iter(f"{words}p"))
                found.append((said, *(round(10 * float(each.removesuffix("cm"))) for each in place)))
    return sorted(found)


def facts(seed):
    chance = random.Random(f"draw-label {seed}")
    *rooms, name = chance.sample(ROOMS, 5)
    return {
        "file": chance.choice(["floor.fodg", "upstairs.fodg", "house.fodg"]),
        "rooms": rooms,
        "room": chance.choice(rooms),
        "name": f"{name} {chance.randint(2, 9)}",
    }


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text(drawing(made["rooms"]), encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
