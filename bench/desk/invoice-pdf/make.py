"""A PDF of several pages with two invoices on each. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

CUSTOMERS = ("Alder Books", "Bergman Dental", "Calloway Farms", "Dorset Marine", "Eklund Glass", "Fenwick Hotel",
             "Grady Motors", "Holm Bakery", "Ivory Studio")  # fmt: skip
GOODS = ("Window cleaning", "Waste collection", "Carpet cleaning", "Key service", "Snow clearing", "Garden care")
FIGURES = {"VAT": "vat", "net amount": "net", "total": "total"}


def facts(seed):
    chance = random.Random(f"invoice-pdf {seed}")
    first = chance.randint(310, 870)
    invoices = [
        _invoice(chance, first + at, name) for at, name in enumerate(chance.sample(CUSTOMERS, chance.choice((6, 8))))
    ]
    asked, figure = chance.choice(invoices), chance.choice(list(FIGURES))
    return {"file": f"invoices-{chance.choice(('march', 'june', 'october'))}.pdf", "invoices": invoices, "figure": figure,
            "customer": asked["customer"], "number": asked["number"], "amount": money(asked[FIGURES[figure]])}  # fmt: skip


def _invoice(chance, number, customer):
    lines = [(name, chance.randint(2_000, 90_000)) for name in chance.sample(GOODS, chance.randint(2, 4))]
    net = sum(cents for _, cents in lines)
    vat = round(net * 0.2)
    return {"number": number, "customer": customer, "lines": lines, "net": net, "vat": vat, "total": net + vat}


def money(cents):
    return f"{cents / 100:,.2f}"


def page(invoices):
    """The page's content stream: one line of text below the other."""
    rows = []
    for invoice in invoices:
        rows += [f"Invoice {invoice['number']}", f"To: {invoice['customer']}", ""]
        rows += [f"{name}: {money(cents)}" for name, cents in invoice["lines"]]
        rows += [f"Net amount: {money(invoice['net'])}", f"VAT 20%: {money(invoice['vat'])}"]
        rows += [f"Total: {money(invoice['total'])}", "Payable within 14 days.", "", ""]
    return "BT /F1 12 Tf 18 TL 72 760 Td " + " ".join(f"({row}) Tj T*" for row in rows) + " ET"


def pdf(pages):
    """A PDF file of pages of text, as bytes."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]  # fmt: skip
    for at, content in enumerate(pages):
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * at} 0 R "
                       "/Resources << /Font << /F1 3 0 R >> >> >>")  # fmt: skip
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("ascii")


def main(seed, folder):
    made = facts(seed)
    invoices = made.pop("invoices")
    pages = [page(invoices[at : at + 2]) for at in range(0, len(invoices), 2)]
    (Path(folder) / made["file"]).write_bytes(pdf(pages))
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
