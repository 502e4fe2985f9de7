import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("25-missing-receipts/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def pdf(pages):
    """A small plain PDF: pages = [[line, ...], ...]; a line may start with '# ' for large type."""
    out = [b"%PDF-1.4\n"]
    offs = []
    n = len(pages)
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(n))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>",
              f"<< /Type /Pages /Kids [{kids}] /Count {n} >>",
              "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    streams = []
    for i, lines in enumerate(pages):
        s, y = [], 780
        for ln in lines:
            size = 11
            if ln.startswith("# "):
                ln, size = ln[2:], 18
            t = ln.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            s.append(f"BT /F1 {size} Tf 60 {y} Td ({t}) Tj ET")
            y -= size + 8
        raw = "\n".join(s).encode("cp1252")
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
                      f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * i} 0 R >>")
        bodies.append(raw)
    pos = len(out[0])
    for k, b in enumerate(bodies, 1):
        if isinstance(b, bytes):
            b = b"<< /Length %d >>\nstream\n" % len(b) + b + b"\nendstream"
        else:
            b = b.encode("ascii")
        chunk = b"%d 0 obj\n" % k + b + b"\nendobj\n"
        offs.append(pos)
        out.append(chunk)
        pos += len(chunk)
    x = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    x += b"".join(b"%010d 00000 n \n" % o for o in offs)
    x += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, pos)
    return b"".join(out) + x



import datetime as dt
SHOPS = ["Rossi Deli", "Inkwell Paper", "Northern Rail", "Bolt Hardware", "Cafe Lumen", "Parkside Garage", "Hosting24"]


def plan(seed):
    r = rng(seed)
    days = sorted(r.sample(range(60), 13))
    pays = []
    for k in days:
        pays.append([dt.date(2024, 2, 1) + dt.timedelta(k), r.choice(SHOPS), f"{r.randrange(300, 14000) / 100:.2f}"])
    i, j = sorted(r.sample(range(13), 2))
    pays[j][1:] = pays[i][1:]           # same shop, same amount, another day
    gone = {j}
    while len(gone) < 4:
        k = r.randrange(13)
        if k != i:
            gone.add(k)
    return {"pays": pays, "gone": sorted(gone)}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "r")
    put(d, "statement.csv", "Date,Shop,Amount\n" + "".join(f"{a.isoformat()},{b},{c}\n" for a, b, c in p["pays"]))
    have = [x for k, x in enumerate(p["pays"]) if k not in p["gone"]]
    r.shuffle(have)
    for n, (a, b, c) in zip(r.sample(range(1000, 9999), len(have)), have):
        cents = int(c.replace(".", ""))
        part = cents // 3
        put(d, f"receipts/scan{n}.pdf", pdf([["# " + b, f"{a.day} {a:%B} {a.year}  {r.randrange(8, 20)}:{r.randrange(10, 60)}", "", f"1 x article      {part / 100:.2f}",
            f"1 x article      {(cents - part) / 100:.2f}", f"TOTAL EUR {c}", "paid by card", "Thank you!"]]))
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
