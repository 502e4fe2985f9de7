"""A guide as a PDF, with one chapter a page. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FILES = ("staff-guide.pdf", "house-rules.pdf", "handbook.pdf", "onboarding.pdf")
HEADINGS = ("Working hours", "Parking", "Fire safety", "Expenses", "Holidays", "Sick leave", "Keys and doors", "Visitors",
            "Recycling", "Training")  # fmt: skip
SENTENCES = ("Ask at the front desk if anything is unclear.", "Please read this page before your first day.",
             "The rules below hold for all floors.", "Forms are in the cabinet next to the kitchen.")  # fmt: skip


def facts(seed):
    chance = random.Random(f"pdf-viewer {seed}")
    headings = chance.sample(HEADINGS, chance.randint(5, 8))
    page = chance.randint(3, len(headings) - 1)
    return {"file": chance.choice(FILES), "headings": headings, "page": page, "heading": headings[page - 1],
            "count": len(headings)}  # fmt: skip


def main(seed, folder):
    made, chance = facts(seed), random.Random(seed)
    pages = [(heading, *chance.sample(SENTENCES, 3)) for heading in made["headings"]]
    (Path(folder) / made["file"]).write_bytes(pdf(pages))
    print(json.dumps(made))


def pdf(pages):
    """A PDF with one page for each tuple of a heading and lines of text."""
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>", font]
    for number, (heading, *lines) in enumerate(pages):
        text = (
            f"BT /F 24 Tf 72 740 Td ({heading}) Tj /F 12 Tf 0 -18 TD "
            + " ".join(f"T* ({line}) Tj" for line in lines)
            + " ET"
        )
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> "
                      f"/Contents {5 + 2 * number} 0 R >>")  # fmt: skip
        bodies.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size, start = len(bodies) + 1, len(made)
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return made + end.encode()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
