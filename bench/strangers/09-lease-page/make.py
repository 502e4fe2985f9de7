import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("09-lease-page/" + str(seed).strip())


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



TOPICS = {"dogs and cats": ["# Animals", "The tenant may not keep dogs, cats or other animals on the", "premises without the written consent of the landlord."],
          "barbecues": ["# Balcony", "Barbecues and open fires are not permitted on the balcony.", "Plants are to be kept inside the railings."],
          "subletting": ["# Other persons", "Subletting the flat, in whole or in part, requires the consent of", "the landlord in writing, also for holiday guests."],
          "the bicycles in the hallway": ["# Common parts", "Bicycles and prams are not to be left in the hallway.", "The cellar has a room for them."]}
FILL = [["# The premises", "A flat of three rooms with kitchen and bathroom on the second floor.", "The cellar compartment no. 6 belongs to it."],
        ["# Rent", "The rent is due on the third working day of each month.", "Heating is paid in advance and settled once a year."],
        ["# Deposit", "The deposit is three monthly rents, paid before moving in."],
        ["# Repairs", "Small repairs up to 75 are borne by the tenant.", "Damage is to be reported without delay."],
        ["# Keys", "The tenant receives two sets of keys.", "A lost key is to be reported."],
        ["# Notice", "The period of notice is three months to the end of a month."],
        ["# Moving out", "The flat is handed back swept clean.", "A record is made together."]]


def plan(seed):
    r = rng(seed)
    topic = r.choice(sorted(TOPICS))
    body = r.sample(FILL, len(FILL))
    others = [TOPICS[t] for t in sorted(TOPICS) if t != topic]
    body = body[:5] + others[:2]
    r.shuffle(body)
    at = r.randrange(1, len(body))
    body.insert(at, TOPICS[topic])
    return {"topic": topic, "page": at + 2, "body": body}


def build(seed, d):
    p = plan(seed)
    pages = [["# Lease", "between Brightwater Homes Ltd and the tenant", "14 Fuller Lane, flat 6"]]
    for i, b in enumerate(p["body"], 1):
        pages.append(b + [""] * 20 + [f"- {i} -"])
    put(d, "lease.pdf", pdf(pages))
    return {"topic": p["topic"], "page": str(p["page"])}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
