import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("26-talk-from-outline/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


SEC = {"Why a new ferry": ["The old one is from 1971", "Spare parts are gone", "Twice out of service in July"], "Who travels": ["Pupils on weekdays", "Hikers in summer"],
       "Three designs": ["Diesel, as before", "Battery", "Cable ferry"], "What we heard": ["Keep the bell", "Room for bicycles"], "Next steps": ["Council vote in May", "Tender in autumn"],
       "Jetty": ["Two metres too short", "Needs lighting"], "Staff": ["Two new skippers", "Training in winter"]}


def plan(seed):
    r = rng(seed)
    s = r.sample(sorted(SEC), 6)
    internal = r.sample(s[1:5], 2)
    cost = [(n, r.randrange(200, 9900, 10)) for n in ("Survey", "Drawings", "Model", "Legal advice", "Printing", "Travel")]
    return {"title": r.choice(["A ferry for tomorrow", "Across the sound", "The crossing"]), "who": r.choice(["Solveig Brandt", "Hamish Orr", "Noor Haddad"]),
            "secs": s, "internal": internal, "cost": cost, "total": sum(c for _, c in cost)}


def build(seed, d):
    import docx, openpyxl
    p = plan(seed)
    doc = docx.Document()
    doc.add_heading(p["title"], 0)
    doc.add_paragraph(p["who"])
    for s in p["secs"]:
        doc.add_heading(s + (" (internal)" if s in p["internal"] else ""), 1)
        for b in SEC[s]:
            doc.add_paragraph(b, style="List Bullet")
    doc.save(Path(d) / "outline.docx")
    wb = openpyxl.Workbook()
    ws = wb.active
    ws.title = "Costs"
    ws.append(["What", "EUR"])
    for row in p["cost"]:
        ws.append(list(row))
    wb.save(Path(d) / "costs.xlsx")
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
