import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("21-who-is-overdue/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


import datetime as dt
CL = ["Abel & Co", "Bright Ltd", "Corvo GmbH", "Dahl AS", "Elm Studio", "Fenn, Hart & Partners", "Gull Marine", "Holt Farm"]


def plan(seed):
    r = rng(seed)
    today = dt.date(2024, r.choice([4, 7, 10]), r.randrange(1, 5))
    kinds = ["late"] * 6 + ["onday"] + ["after"] * 5 + ["paidlate"] * 7 + ["paid"] * 9 + ["cancelled"] * 3
    r.shuffle(kinds)
    gaps = r.sample(range(3, 80), len(kinds))
    rows = []
    for i, k in enumerate(kinds):
        due = today - dt.timedelta(gaps[i]) if k != "onday" else today
        if k in ("after",):
            due = today + dt.timedelta(gaps[i] % 27 + 1)
        paid = None
        if k == "paid":
            paid = due - dt.timedelta(r.randrange(1, 9))
        if k == "paidlate":
            paid = min(due + dt.timedelta(r.randrange(1, 20)), today)
        rows.append({"no": f"R24-{101 + i}", "client": r.choice(CL), "issued": due - dt.timedelta(30), "due": due,
                     "amount": r.randrange(8000, 990000, 25) / 100, "paid": paid, "note": "cancelled" if k == "cancelled" else "", "late": k == "late"})
    if not any(x["late"] and "," in x["client"] for x in rows):
        next(x for x in rows if x["late"])["client"] = CL[5]
    return {"today": today, "rows": rows, "want": sorted((x for x in rows if x["late"]), key=lambda x: x["due"])}


def build(seed, d):
    import openpyxl
    p = plan(seed)
    wb = openpyxl.Workbook()
    ws = wb.active
    ws.title = "Invoices"
    ws.append(["Number", "Client", "Issued", "Due", "Amount", "Paid on", "Note"])
    for x in p["rows"]:
        ws.append([x["no"], x["client"], x["issued"], x["due"], x["amount"], x["paid"], x["note"] or None])
    for row in ws.iter_rows(min_row=2):
        for c in (row[2], row[3], row[5]):
            c.number_format = "DD/MM/YYYY"
        row[4].number_format = "#,##0.00"
    for col, w in zip("ABCDEFG", (10, 24, 12, 12, 12, 12, 12)):
        ws.column_dimensions[col].width = w
    wb.save(Path(d) / "invoices.xlsx")
    return {"day": f"{p['today'].day} {p['today']:%B} 2024"}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
