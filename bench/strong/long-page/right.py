"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
from pathlib import Path

from make import facts


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    rows = re.findall(r"<tr><td>(.*)</td></tr>", Path(made["page"]).read_text(encoding="utf-8"))
    odd = [cells for row in rows if (cells := row.split("</td><td>"))[4] != cells[5]]
    assert len(rows) == 150 and len(odd) == 1
    name, ordered, delivered = odd[0][0], odd[0][4], odd[0][5]
    print({"en": f"It is {name}: {ordered} were ordered, but {delivered} delivered.",
           "de": f"Bei der Lieferung {name} wurden {delivered} statt der bestellten {ordered} Stück geliefert.",
           "es": f"La entrega {name}: se pidieron {ordered} y se entregaron {delivered}.",
           "zh": f"是编号{name}的送货，订购了{ordered}，送到了{delivered}。"}[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
