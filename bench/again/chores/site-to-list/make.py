"""Staff pages that go on over several pages, and a page for each of the staff. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FIRST = ("Ada", "Bruno", "Carla", "Dario", "Elif", "Femi", "Gustav", "Hana", "Iris", "Jon", "Kira", "Luis", "Mona", "Noor")
LAST = ("Adler", "Bakker", "Costa", "Dahl", "Eriksen", "Fischer", "Greco", "Hansen", "Ito", "Jensen", "Keller", "Lopez")
DEPARTMENTS = ("Archive", "Catering", "Design", "Finance", "Legal", "Sales", "Support")
HOSTS = ("example.org", "mail.example.org", "post.example.net")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<h1>{title}</h1>
{body}
</html>
"""
EACH = 6
"""People on a page of the list."""


def facts(seed):
    chance = random.Random(f"site-to-list {seed}")
    departments = chance.sample(DEPARTMENTS, 4)
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    people = []
    for number, name in enumerate(chance.sample(names, chance.randint(17, 23)), 1):
        department = departments[0] if number % 5 == 2 else chance.choice(departments)
        user = chance.choice(("{0}.{1}", "{1}", "{0}{1}")).format(*name.lower().split())
        people.append({"name": name, "department": department, "page": f"p{number * 7}.html",
                       "email": f"{user}{chance.randint(2, 99)}@{chance.choice(HOSTS)}"})  # fmt: skip
    return {"start": chance.choice(("staff.html", "people.html", "team.html")), "people": people,
            "department": departments[0], "out": chance.choice(("contacts.txt", "addresses.txt", "list.txt"))}  # fmt: skip


def lines(made):
    return sorted(f"{each['name']};{each['email']}" for each in made["people"] if each["department"] == made["department"])


def pages(made):
    """The text of each page by its name."""
    found, stem = {}, made["start"].removesuffix(".html")
    parts = [made["people"][at : at + EACH] for at in range(0, len(made["people"]), EACH)]
    names = [made["start"], *(f"{stem}-{number}.html" for number in range(2, len(parts) + 1))]
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        rows = "\n".join(f'<li><a href="{each["page"]}">{each["name"]}</a>, {each["department"]}</li>' for each in part)
        more = f'<p><a href="{names[number + 1]}">Next page</a></p>' if number + 1 < len(names) else ""
        found[name] = PAGE.format(title="Our staff", body=f"<ul>\n{rows}\n</ul>\n{more}")
    for each in made["people"]:
        body = f"<p>Works in {each['department']}.</p>\n<p>E-mail: {each['email']}</p>"
        found[each["page"]] = PAGE.format(title=each["name"], body=body)
    return found


def main(seed, folder):
    made = facts(seed)
    for name, text in pages(made).items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
    del made["people"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
