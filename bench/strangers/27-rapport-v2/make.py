import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("27-rapport-v2/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


TXT = {"Introduction": ["Le moulin sera restauré en deux étapes.", "Ce rapport résume l'état des travaux."], "Calendrier": ["Première étape au printemps.", "Seconde étape après les vendanges."],
       "Budget": ["Les montants sont en euros."], "Risques": ["Une crue peut retarder le chantier.", "Le bois de chêne devient rare.", "Le charpentier est seul."], "Conclusion": ["Nous restons confiants."]}
NEW = ["Introduction", "Risques", "Calendrier", "Budget", "Conclusion"]


def plan(seed):
    r = rng(seed)
    rows = [(n, r.randrange(300, 9000, 10)) for n in r.sample(["Charpente", "Roue", "Maçonnerie", "Toiture", "Peinture", "Études"], 5)]
    drop = r.choice(rows[:4])[0]
    return {"rows": rows, "drop": drop, "year": r.choice(["2023", "2024"])}


def build(seed, d):
    import docx
    p = plan(seed)
    doc = docx.Document()
    doc.add_heading("Le moulin, rapport " + p["year"], 0)
    for h, ps in TXT.items():
        doc.add_heading(h, 1)
        for t in ps:
            doc.add_paragraph(t)
        if h == "Budget":
            t = doc.add_table(1, 2, style="Table Grid")
            t.rows[0].cells[0].text, t.rows[0].cells[1].text = "Poste", "Montant"
            for n, v in p["rows"] + [("Total", sum(v for _, v in p["rows"]))]:
                c = t.add_row().cells
                c[0].text, c[1].text = n, str(v)
    doc.save(Path(d) / "rapport.docx")
    return {"poste": p["drop"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
