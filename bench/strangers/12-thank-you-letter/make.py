import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("12-thank-you-letter/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


PARAS = ["Thank you, all of you", "Dear friends of the boathouse,",
         "this year you gave \u20ac[AMOUNT] in [COUNT] donations, more than we ever dared to hope for.",
         "The new slipway will cost \u20ac12,000, the jetty another \u20ac3,500.",
         "With your \u20ac[AMOUNT] we can start in the spring. Come and see us on 4 May!",
         "Yours, Henrike Aalto"]
NAMES = "Abbas Berg Castel Dunn Egede Frost Gallo Huber Ito Jansen Koch Lund Mori Novak Okafor Price".split()


def plan(seed):
    r = rng(seed)
    s = {}
    for y in ("2022", "2023", "2024"):
        s[y] = [(f"{y}-{r.randrange(1, 13):02d}-{r.randrange(1, 28):02d}", r.choice(NAMES), r.randrange(1000, 60000, 50) / 100) for _ in range(r.randrange(14, 23))]
        s[y].sort()
    y = r.choice(["2023", "2024"])
    return {"sheets": s, "year": y, "sum": round(sum(x[2] for x in s[y]), 2), "count": len(s[y])}


def build(seed, d):
    import docx, openpyxl
    p = plan(seed)
    wb = openpyxl.Workbook()
    wb.remove(wb.active)
    for y, rows in p["sheets"].items():
        ws = wb.create_sheet(y)
        ws.append(["Date", "Name", "Amount"])
        for x in rows:
            ws.append(list(x))
    wb.save(Path(d) / "fundraising.xlsx")
    doc = docx.Document()
    doc.add_heading(PARAS[0], 1)
    for t in PARAS[1:]:
        doc.add_paragraph(t)
    doc.save(Path(d) / "letter.docx")
    return {"year": p["year"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
