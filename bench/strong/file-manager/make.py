"""Letters of an insurance, a file to put away, and a list of notes. `make.py SEED DIR`"""

import datetime
import json
import random
import sys
from pathlib import Path

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
LETTER = """{sender}
12 Harbour Way, Bath

{written}

Contract {contract}

Dear Ms Weiss,

thank you for insuring your workshop with us. Your contract goes on for another
year and begins anew on {begins}; it then ends on {ends}.
The premium for the year is {premium} pounds, {more} pounds more than before.

{ways}
If you want to change the contract, write to us before {change}. After
that day it can only be changed from {next_year} on.

Somebody from our house will call on you on {visit} to look at the
alarm, as agreed on the phone.

Yours sincerely,
{clerk}
"""
WAYS = (
    "Please see to it that the premium is on our account no later than {due}.\n",
    "The premium has to reach us by {due} at the latest, whichever way you pay.\n",
    "The money is to be on our account on {due} at the latest; we send no reminders.\n",
)


def told(day):
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def letter(chance, year, sender):
    def day(month, first=13):
        return datetime.date(year, month, chance.randint(first, 28))
    begin = chance.randint(4, 8)
    days = {"written": day(begin - 3), "due": day(begin - 1), "begins": day(begin), "change": day(begin - 2),
            "visit": day(begin + 1)}  # fmt: skip
    days["ends"] = days["begins"].replace(year=year + 1) - datetime.timedelta(days=1)
    days["next_year"] = days["begins"].replace(year=year + 1)
    words = {name: told(value) for name, value in days.items()}
    text = LETTER.format(
        sender=sender, contract=f"W-{chance.randint(10000, 99999)}", premium=chance.randint(280, 640), more=chance.randint(4, 22),
        clerk=chance.choice(("Marc Petit", "Sara Conti", "Tom Beck")), ways=chance.choice(WAYS).format(**words), **words)  # fmt: skip
    return text, {name: value.isoformat() for name, value in days.items()}


def facts(seed):
    chance = random.Random(f"file-manager {seed}")
    year = 2027
    made = {"folder": chance.choice(("Insurance 2027", "Workshop insurance", "To keep")),
            "moved": chance.choice(("policy.txt", "contract.txt", "inventory.csv")), "notes": chance.choice(("notes.txt", "todo.txt")),
            "label": chance.choice(("Premium due", "Pay insurance by", "Insurance payment"))}  # fmt: skip
    texts = {}
    made["letter"], other = chance.sample((f"letter-{year}.txt", "letter-harbour.txt", "letter-insurance.txt"), 2)
    texts[made["letter"]], made["days"] = letter(chance, year, "Harbour Insurance")
    texts[other], made["other_days"] = letter(chance, year - 1, "Castle Insurance")
    while made["other_days"]["due"][5:] == made["days"]["due"][5:]:
        texts[other], made["other_days"] = letter(chance, year - 1, "Castle Insurance")
    made["due"] = made["days"]["due"]
    made["lines"] = ["Order new saw blades", f"Call the tax adviser: {told(datetime.date(year, 1, chance.randint(13, 28)))}",
                     "Return the ladder to Tom"]  # fmt: skip
    texts[made["notes"]] = "\n".join(made["lines"]) + "\n"
    texts["policy.txt"] = "Policy\nWorkshop, 84 square metres\nFire, water, theft\n"
    texts["contract.txt"] = "Contract for the workshop\nSigned by both\n"
    texts["inventory.csv"] = "thing,worth\nband saw,900\nlathe,1400\ndrill press,350\n"
    made["texts"] = texts
    return made


def build(seed, folder):
    made = facts(seed)
    for name, text in made["texts"].items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["texts"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
