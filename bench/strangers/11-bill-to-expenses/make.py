import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("11-bill-to-expenses/" + str(seed).strip())


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



MONTHS = "January February March April May June July August September October November December".split()
FIRMS = {"plumber": ("Hallam Plumbing", "plumbing", "Replaced the kitchen tap"), "electrician": ("Voss Electrical", "electrics", "New fuse board"),
         "gardener": ("Greenfold Gardens", "garden", "Hedge cutting, two men")}


def plan(seed):
    r = rng(seed)
    trades = sorted(FIRMS)
    r.shuffle(trades)
    bills = {}
    for t in trades[:2]:
        net = r.randrange(8000, 60000, 50)
        bills[t] = {"net": net, "vat": net // 5, "total": net + net // 5, "day": r.randrange(3, 28), "month": r.randrange(5, 9), "no": r.randrange(1000, 9999)}
    rows = [(f"2024-{m:02d}-{r.randrange(1, 28):02d}", w, c, f"{r.randrange(900, 19000) / 100:.2f}") for m, w, c in
            [(1, "City Water", "water"), (2, "Hallam Plumbing", "plumbing"), (3, "Tindle Paints", "decorating"), (4, "Roofline Ltd", "roof"), (4, "City Water", "water")]]
    t = trades[0]
    b = bills[t]
    return {"trade": t, "bills": bills, "rows": rows, "want": (f"2024-{b['month']:02d}-{b['day']:02d}", FIRMS[t][0], FIRMS[t][1], f"{b['total'] / 100:.2f}")}


def build(seed, d):
    p = plan(seed)
    put(d, "expenses.csv", "date,payee,category,amount\n" + "".join(",".join(x) + "\n" for x in p["rows"]))
    for t, b in p["bills"].items():
        put(d, f"bills/bill_{b['no']}.pdf", pdf([[
            "# " + FIRMS[t][0], f"Your {t} since 1998", "", f"Bill no. {b['no']}", f"Date: {b['day']} {MONTHS[b['month'] - 1]} 2024",
            "", FIRMS[t][2], f"Net           {b['net'] / 100:.2f}", f"VAT 20 %      {b['vat'] / 100:.2f}", f"Total to pay  {b['total'] / 100:.2f}",
            "", f"Please pay by {min(b['day'] + 1, 28)} {MONTHS[b['month']]} 2024."]]))
    return {"trade": p["trade"], "category": p["want"][2]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
