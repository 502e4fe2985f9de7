from pathlib import Path
from docx import Document

OLD, NEW = 'Brandt & Sohn GmbH', 'Brandt Solutions AG'

def renew(paragraph):
    for run in paragraph.runs:
        if OLD in run.text:
            run.text = run.text.replace(OLD, NEW)
    while OLD in paragraph.text:
        at = paragraph.text.index(OLD)
        end, place, first = at + len(OLD), 0, True
        for run in paragraph.runs:
            begin, text = place, run.text
            place += len(text)
            a, b = max(at, begin) - begin, min(end, place) - begin
            if a < b:
                run.text = text[:a] + (NEW if first else '') + text[b:]
                first = False

for file in sorted(Path('templates').glob('*.docx')):
    if file.name.lower().startswith('contract'):
        continue
    doc = Document(file)
    todo = list(doc.paragraphs)
    for table in doc.tables:
        todo += [p for row in table.rows for cell in row.cells for p in cell.paragraphs]
    for section in doc.sections:
        todo += section.header.paragraphs + section.footer.paragraphs
    if any(OLD in p.text for p in todo):
        for paragraph in todo:
            renew(paragraph)
        doc.save(file)
