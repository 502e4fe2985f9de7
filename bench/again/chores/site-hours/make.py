"""The web site of a library: its branches on a page, and the opening hours of each on one of its own. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

BRANCHES = ("Harbour", "Hillside", "Kirkgate", "Meadow Lane", "Old Mill", "Park Road", "Riverside", "Station Square")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
TIMES = tuple(f"{hour}:{minute:02}" for hour in range(16, 21) for minute in (0, 15, 30, 45))
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<p><a href="{start}">Start</a> | <a href="branches.html">Branches</a> | <a href="cards.html">Library cards</a></p>
<h1>{title}</h1>
{body}
</html>
"""


def facts(seed):
    chance = random.Random(f"site-hours {seed}")
    branches = []
    for name in sorted(chance.sample(BRANCHES, 6)):
        closing = dict(zip(DAYS, chance.sample(TIMES, len(DAYS)), strict=True))
        branches.append({"name": name, "page": name.lower().replace(" ", "-") + ".html", "desk": chance.randint(1, 9),
                         "opens": f"{chance.randint(8, 11)}:00", "closes": closing})  # fmt: skip
    branch, day = chance.choice(branches), chance.choice(DAYS)
    return {"start": chance.choice(("index.html", "start.html", "home.html")), "branches": branches,
            "branch": branch["name"], "day": day, "closes": branch["closes"][day]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)

    def page(name, title, body):
        text = PAGE.format(title=title, start=made["start"], body=body)
        (Path(folder) / name).write_text(text, encoding="utf-8")

    page(made["start"], "City Library", '<p>Welcome. All our <a href="branches.html">branches</a> lend to everybody.</p>')
    page("cards.html", "Library cards", "<p>A card is free for children and costs 12 euros a year for others.</p>")
    links = "\n".join(f'<li><a href="{each["page"]}">{each["name"]}</a></li>' for each in made["branches"])
    page("branches.html", "Branches", f"<p>Choose a branch for its opening hours.</p>\n<ul>\n{links}\n</ul>")
    for each in made["branches"]:
        rows = "\n".join(f"<tr><td>{day}</td><td>{each['opens']} to {each['closes'][day]}</td></tr>" for day in DAYS)
        page(each["page"], each["name"], f"<p>Desk {each['desk']} takes books back.</p>\n<table>\n{rows}\n</table>")
    del made["branches"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
