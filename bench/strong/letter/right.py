"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
import textwrap

import docx
import openpyxl

from make import facts


def paragraphs(letter):
    yield from letter.paragraphs
    for table in letter.tables:
        for row in table.rows:
            for cell in row.cells:
                yield from cell.paragraphs


def write_pdf(path, lines):
    """A page with these lines, wrapped as a program for text would wrap them."""
    wrapped = [piece for line in lines for piece in textwrap.wrap(line, 80)]
    shown = "".join("(%s) Tj T*\n" % re.sub(r"([()\\])", r"\\\1", piece) for piece in wrapped)
    body = f"BT /F1 11 Tf 14 TL 60 780 Td\n{shown}ET".encode("cp1252")
    parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
             b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
             b"<</Length %d>>stream\n%s\nendstream" % (len(body), body),
             b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"]  # fmt: skip
    out, at = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        at.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in at)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (table, len(out))
    open(path, "wb").write(out + end)


def write(made, name=None, date=None, result=None, pdf=None, miss=()):
    rows = list(openpyxl.load_workbook(made["book"]).active.iter_rows(values_only=True))
    row = next(dict(zip(rows[0], row, strict=True)) for row in rows[1:] if row[1] == (name or made["name"]))
    letter = docx.Document(made["template"])
    for line in paragraphs(letter):
        text = re.sub(r"<<(\w+)>>", lambda match: match[0] if match[1] in miss else str(row[match[1]]), line.text)
        text = re.sub(r"^Date: .*", f"Date: {date or made['date']}", text)
        if text != line.text:
            line.runs[0].text = text
            for run in line.runs[1:]:
                run.text = ""
    letter.save(result or made["result"])
    write_pdf(pdf or made["pdf"], [line.text for line in paragraphs(letter)])


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    write(made)
    print({"en": "The letter is saved and exported.", "de": "Der Brief ist gespeichert und exportiert.",
           "es": "La carta está guardada y exportada.", "zh": "信已保存并导出。"}[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
