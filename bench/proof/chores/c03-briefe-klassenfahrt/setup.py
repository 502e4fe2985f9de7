import re
import zipfile

from docx import Document
from docx.shared import Pt

LISTE = '''Vorname;Nachname;Klasse;Eltern;Anzahlung;fährt mit
Jörg;Müller;4b;Liebe Frau Müller, lieber Herr Müller;50,00;ja
Aylin;Yıldız;4b;Liebe Frau Yıldız;0,00;ja
Ben;Schröder;4a;Lieber Herr Schröder;50,00;ja
Lea-Marie;von Hagen;4b;Liebe Frau von Hagen;185,00;ja
Tom;Becker;4b;Liebe Familie Becker;50,00;nein
Nora;Becker;4b;Liebe Familie Becker;92,50;ja
Emil;Groß;4a;Liebe Frau Groß;0,00;nein
Sophie;Krüger;4b;Lieber Herr Krüger;35,50;ja
Nora;Müller;4a;Liebe Frau Müller;20,00;ja
'''

def freeze(path):
    """Rewrite a zip-based file so that its bytes do not depend on the clock."""
    with zipfile.ZipFile(path) as old:
        parts = [(info.filename, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, 'w') as new:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?', b'2025-01-15T09:00:00Z', data)
            info = zipfile.ZipInfo(name, (2025, 1, 15, 9, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, data)


def setup(folder):
    brief = Document()
    kopf = brief.sections[0].header.paragraphs[0]
    kopf.add_run('Grundschule am Anger – Klassenfahrt 2025 – ')
    kopf.add_run('{{Kind}}').italic = True
    brief.add_heading('Klassenfahrt nach Norderney', 1)
    absatz = brief.add_paragraph()
    # as Word likes to do it: one placeholder, three runs
    for teil in ('{{', 'Eltern', '}},'):
        absatz.add_run(teil)
    absatz = brief.add_paragraph('wir freuen uns, dass ')
    absatz.add_run('{{Kind}}').bold = True
    absatz.add_run(' im September mit uns fährt. Bitte überweisen Sie noch ')
    for teil in ('{{Rest', 'betrag}}'):
        lauf = absatz.add_run(teil)
        lauf.bold = True
        lauf.font.size = Pt(13)
    absatz.add_run(' bis zum 15. Mai.')
    tabelle = brief.add_table(rows=2, cols=2)
    tabelle.style = 'Table Grid'
    tabelle.cell(0, 0).text = 'Kind'
    tabelle.cell(0, 1).text = '{{Kind}}'
    tabelle.cell(1, 0).text = 'Noch zu zahlen'
    tabelle.cell(1, 1).paragraphs[0].add_run('{{Restbetrag}}').italic = True
    brief.add_paragraph('Mit freundlichen Grüßen')
    brief.add_paragraph('K. Petersen, Klasse 4b')
    brief.save(folder / 'vorlage_brief.docx')
    freeze(folder / 'vorlage_brief.docx')
    (folder / 'klassenliste.csv').write_bytes(LISTE.encode('utf-8'))
