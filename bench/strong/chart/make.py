"""A table of months whose columns have their highest and lowest in different months. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
COLUMNS = ("visitors", "tickets", "shop_sales", "members")


def draw(chance):
    values = chance.sample(range(900, 5200), 12)
    return values, [[round(value * chance.uniform(0.3, 1.9)) for value in values] for _ in COLUMNS[1:]]


def fair(values, others):
    """Whether no two bars look of one height and the ends of the columns are in different months."""
    steps = sorted(values)
    near = min(after - before for before, after in zip(steps, steps[1:], strict=False))
    ends = [{column.index(max(column)), column.index(min(column))} for column in others]
    mine = {values.index(max(values)), values.index(min(values))}
    return near > 60 and all(not end & mine for end in ends) and min(values) < 0.45 * max(values)


def facts(seed):
    chance = random.Random(f"chart {seed}")
    made = {"table": chance.choice(("museum.csv", "figures.csv", "months.csv")), "width": chance.choice((900, 1000, 1200)),
            "height": chance.choice((500, 600)), "column": "visitors",
            "picture": chance.choice(("visitors.png", "chart.png", "bars.png"))}  # fmt: skip
    values, others = draw(chance)
    while not fair(values, others):
        values, others = draw(chance)
    made["values"], made["others"] = values, others
    made["high"], made["low"] = MONTHS[values.index(max(values))], MONTHS[values.index(min(values))]
    made["most"], made["least"] = max(values), min(values)
    return made


def build(seed, folder):
    made = facts(seed)
    order = ("tickets", "visitors", "shop_sales", "members")
    columns = dict(zip(COLUMNS, [made["values"], *made["others"]], strict=True))
    lines = [",".join(("month", *order))]
    lines += [",".join((month, *(str(columns[name][place]) for name in order))) for place, month in enumerate(MONTHS)]
    (Path(folder) / made["table"]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def main(seed, folder):
    made = build(seed, folder)
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
