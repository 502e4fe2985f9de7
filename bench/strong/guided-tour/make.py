"""A walk through a museum as moving pictures, papers about its rooms, and a note that is open. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from docx import Document
from PIL import Image, ImageDraw, ImageFont

sys.path.append(str(Path(__file__).parents[1]))
from shared import steady

ROOMS = ("Sea Room", "Clock Room", "Garden Room", "Map Room", "Glass Room", "Stone Room")
EXHIBITS = ("the brass globe", "the blue lantern", "the rope ladder", "the music box", "the iron key", "the snow goggles",
            "the paper kite")  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
CARES = ("its floor is waxed", "its lamps are seen to", "its cases are dusted", "its heating is looked after",
         "school classes draw there", "its shutters stay down")  # fmt: skip
TALK = ("We thank the board for the new roof, which has held all winter.", "The lift was serviced and rises without a sound.",
        "Two benches were painted green, as the visitors had asked.", "A donor wishes to stay unnamed and has paid for the lamps.",
        "The shop sold more postcards than in any year before.", "Umbrellas are left behind so often that we need a second stand.",
        "The clocks in the hall agree again, give or take a minute.", "Bicycles may stand along the south wall, not at the gate.")  # fmt: skip
SECONDS = 4
SIZE = (640, 360)


def facts(seed):
    chance = random.Random(f"guided-tour {seed}")
    rooms = chance.sample(ROOMS, 6)
    exhibits = dict(zip(rooms, chance.sample(EXHIBITS, 6), strict=True))
    days = dict(zip(rooms, chance.sample(DAYS, 6), strict=True))
    room = chance.choice(rooms[2:4])
    return {"video": chance.choice(("walk.gif", "tour.gif")), "papers": chance.choice(("papers", "office")), "room": room,
            "note": chance.choice(("visit.txt", "plan.txt")), "exhibit": exhibits[room], "day": days[room],
            "before": chance.choice([day for day in DAYS if day != days[room]]), "label": chance.choice(("Not open", "Closed")),
            "rooms": rooms, "exhibits": exhibits, "days": days, "cares": dict(zip(rooms, chance.sample(CARES, 6), strict=True)),
            "lines": ["Visit of the choir", f"Guests: {chance.randint(12, 30)}", "Lunch: bring your own"]}  # fmt: skip


def scene(room, exhibit, tint):
    picture = Image.new("RGB", SIZE, tint)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 250, 640, 360), fill=(92, 74, 58))
    draw.rectangle((250, 120, 390, 290), fill=(236, 232, 220), outline=(60, 60, 60), width=4)
    draw.text((40, 30), room, font=ImageFont.load_default(size=40), fill=(20, 20, 20))
    draw.text((40, 300), exhibit.capitalize(), font=ImageFont.load_default(size=32), fill=(255, 255, 255))
    return picture


def paper(made, room):
    if room != made["room"]:
        return f"The {room} is closed every {made['days'][room]}, when {made['cares'][room]}."
    return (f"Until last winter the {room} was closed every {made['before']}. This has changed: now its day of rest is "
            f"{made['day']}, when {made['cares'][room]}.")  # fmt: skip


def build(seed, folder):
    made, folder = facts(seed), Path(folder)
    tints = [(214, 226, 236), (236, 226, 206), (216, 232, 214), (232, 216, 224), (224, 224, 224), (206, 222, 220)]
    scenes = [scene(room, made["exhibits"][room], tint) for room, tint in zip(made["rooms"], tints, strict=True)]
    scenes[0].save(folder / made["video"], save_all=True, append_images=scenes[1:], duration=SECONDS * 1000)
    (folder / made["papers"]).mkdir()
    first, second, third = made["rooms"][:2], made["rooms"][2:4], made["rooms"][4:]
    for name, rooms, more in (
        ("keepers.txt", first, "Keys hang behind the desk. Whoever locks up signs the book."),
        ("letter-to-the-board.txt", second, "\n\n".join(TALK[:4])),
    ):
        text = "\n\n".join([more, *(paper(made, room) for room in rooms), *TALK[4:]])
        (folder / made["papers"] / name).write_text(text + "\n", encoding="utf-8")
    document = Document()
    for text in ("Notes for guides", "Begin at the entrance, and let nobody lean on the cases.", *(paper(made, room) for room in third)):
        document.add_paragraph(text)
    document.save(str(folder / made["papers"] / "guides.docx"))
    steady(folder / made["papers"] / "guides.docx")
    (folder / made["papers"] / "lunch.txt").write_text("The kitchen is closed on Saturday and Sunday.\n", encoding="utf-8")
    (folder / made["note"]).write_text("\n".join(made["lines"]) + "\n", encoding="utf-8")
    return made


def main(seed, folder):
    print(json.dumps(build(seed, folder)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
