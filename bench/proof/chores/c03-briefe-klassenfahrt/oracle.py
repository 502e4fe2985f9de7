import csv
from decimal import Decimal
from pathlib import Path

from docx import Document


def fill(paragraph, values):
    for key, value in values.items():
        while True:
            text = ''.join(run.text for run in paragraph.runs)
            at = text.find(key)
            if at < 0:
                break
            position = 0
            for run in paragraph.runs:
                begin, stop = position, position + len(run.text)
                position = stop
                low, high = max(at, begin), min(at + len(key), stop)
                if low < high:
                    new = value if begin <= at < stop else ''
                    run.text = run.text[:low - begin] + new + run.text[high - begin:]


def paragraphs(document):
    yield from document.paragraphs
    for table in document.tables:
        for row in table.rows:
            for cell in row.cells:
                yield from cell.paragraphs
    for section in document.sections:
        yield from section.header.paragraphs
        yield from section.footer.paragraphs


Path('briefe').mkdir(exist_ok=True)
with open('klassenliste.csv', newline='', encoding='utf-8-sig') as file:
    for row in csv.DictReader(file, delimiter=';'):
        if row['Klasse'].strip() != '4b' or row['fährt mit'].strip().lower() == 'nein':
            continue
        rest = Decimal(185) - Decimal(row['Anzahlung'].replace(',', '.'))
        values = {'{{Kind}}': f"{row['Vorname']} {row['Nachname']}",
                  '{{Eltern}}': row['Eltern'],
                  '{{Restbetrag}}': f'{rest:.2f} €'.replace('.', ',')}
        document = Document('vorlage_brief.docx')
        for paragraph in paragraphs(document):
            fill(paragraph, values)
        document.save(Path('briefe') / f"{row['Nachname']}_{row['Vorname']}.docx")
