"""A small web site of prices and a note that a sum is to be written into. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

HALLS = ("Ash Hall", "Birch Hall", "Cedar Hall", "Elm Hall", "Linden Hall")
EXTRAS = ("projector", "stage", "sound system", "piano", "dance floor")
BUFFETS = ("Garden", "Harbour", "Country", "Festival", "Classic")
EVENTS = ("Summer party", "Tenth birthday of the club", "Farewell evening")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em 2em }} td, th {{ padding: .2em 1.5em .2em 0; text-align: left }}</style>
<p><a href="{start}">Home</a> | <a href="{rooms}">Halls and extras</a> | <a href="{food}">Food</a></p>
<h1>{title}</h1>
{body}
</html>
"""


def facts(seed):
    chance = random.Random(f"editor-sum {seed}")
    cents = (0, 0.5, 0.25, 0.75, 0.9)
    full = [amount + chance.choice(cents) for amount in chance.sample(range(380, 1250), 5)]
    halls = [[hall, round(amount * 0.6, 2), amount] for hall, amount in zip(HALLS, full, strict=True)]
    extras = [[extra, amount + chance.choice(cents)] for extra, amount in zip(EXTRAS, chance.sample(range(35, 240), 5), strict=True)]
    prices = chance.sample(range(420, 1890), 5)
    buffets = [[buffet, amount + chance.choice(cents[1:])] for buffet, amount in zip(BUFFETS, prices, strict=True)]
    hall, extra, buffet = chance.choice(halls), chance.choice(extras), chance.choice(buffets)
    while (hall[2] + extra[1] + buffet[1]) % 1 < 0.01 or (hall[2] + extra[1] + buffet[1]) % 1 > 0.99:
        hall, extra, buffet = chance.choice(halls), chance.choice(extras), chance.choice(buffets)
    made = {"event": chance.choice(EVENTS), "start": "index.html", "rooms": chance.choice(("halls.html", "rooms.html")),
            "food": chance.choice(("food.html", "catering.html")), "note": chance.choice(("budget.txt", "party.txt", "plan.txt")),
            "hall": hall[0], "extra": extra[0], "buffet": buffet[0], "guests": chance.randint(30, 80),
            "amounts": [hall[2], extra[1], buffet[1]], "half_day": hall[1], "halls": halls, "extras": extras, "buffets": buffets}  # fmt: skip
    made["sum"] = round(sum(made["amounts"]), 2)
    made["lines"] = [f"{made['event']}: what it costs", f"Guests: {made['guests']}", "Asked the club for a share: yes",
                     f"{made['hall']}, {made['extra']}, buffet {made['buffet']}"]  # fmt: skip
    return made


def build(seed, folder):
    made = facts(seed)

    def page(name, title, body):
        text = PAGE.format(title=title, body=body, start=made["start"], rooms=made["rooms"], food=made["food"])
        (Path(folder) / name).write_text(text, encoding="utf-8")

    def table(heads, rows):
        lines = [[f"EUR {cell:,.2f}" if isinstance(cell, (int, float)) else cell for cell in row] for row in rows]
        told = ["".join(f"<td>{cell}</td>" for cell in line) for line in lines]
        return "<table>\n<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>\n" + "".join(
            f"<tr>{line}</tr>\n" for line in told) + "</table>"  # fmt: skip

    page(made["start"], "Mill House", f'<p>For parties of all sizes. See our <a href="{made["rooms"]}">halls and extras</a> '
         f'and our <a href="{made["food"]}">food</a>.</p>')  # fmt: skip
    halls, extras = table(("Hall", "Half day", "Full day"), made["halls"]), table(("Extra", "Price"), made["extras"])
    page(made["rooms"], "Halls and extras", f"{halls}\n<h2>Extras</h2>\n{extras}")
    page(made["food"], "Food", "<p>A buffet is for up to 80 guests, at one price.</p>\n" + table(("Buffet", "Price"), made["buffets"]))
    (Path(folder) / made["note"]).write_text("\n".join(made["lines"]) + "\n", encoding="utf-8")
    return made


def main(seed, folder):
    print(json.dumps(build(seed, folder)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
