"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import sqlite3
import sys

from make import facts


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    base = sqlite3.connect(made["base"])
    name, amount = base.execute(
        "SELECT client.name, SUM(quantity * charged) FROM item JOIN purchase ON purchase.id = item.purchase "
        "JOIN client ON client.id = purchase.client JOIN town ON town.id = client.town "
        "WHERE town.name = ? AND placed LIKE ? AND state <> 'cancelled' GROUP BY client.id ORDER BY 2 DESC LIMIT 1",
        (made["town"], f"{made['year']}-%"),
    ).fetchone()
    base.close()
    english = f"{amount:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    print({"en": f"{name} spent the most, {english} in {made['year']}.", "de": f"{name} mit insgesamt {german}.",
           "es": f"El cliente es {name}, con {german.replace('.', ' ')}.", "zh": f"客户是{name}，金额为{amount:g}。"}[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
