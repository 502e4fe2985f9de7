import zipfile
from docx import Document

def same_bytes(path):
    with zipfile.ZipFile(path) as z:
        parts = [(i.filename, z.read(i)) for i in z.infolist()]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in parts:
            z.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 8, 0, 0)), data)

def letter(path, paragraphs, cells=(), header='', footer=''):
    doc = Document()
    for parts in paragraphs:
        p = doc.add_paragraph()
        for part in parts:
            run = p.add_run(part.strip('*') if part.startswith('*') else part)
            run.bold = True if part.startswith('*') else None
    if cells:
        table = doc.add_table(rows=0, cols=2)
        for left, right in cells:
            row = table.add_row().cells
            row[0].text, row[1].text = left, right
    if header:
        doc.sections[0].header.paragraphs[0].text = header
    if footer:
        doc.sections[0].footer.paragraphs[0].text = footer
    doc.save(path)
    same_bytes(path)

def setup(folder):
    t = folder / 'templates'
    t.mkdir()
    letter(t / 'offer.docx', [['Dear Ms Schäfer,'], ['thank you for asking ', '*Brandt & Sohn GmbH*', ' for an offer. Brandt & Sohn GmbH is glad to help.'],
                              ['*Valid for 30 days*', ' from today.']], header='Brandt & Sohn GmbH, Hafenstraße 4')
    letter(t / 'invoice.docx', [['Invoice of Brandt & ', 'Sohn GmbH', ', please pay within 14 days.'], ['Mr Brandt will answer ', '*all*', ' questions.']],
           [('Account holder', 'Brandt & Sohn GmbH'), ('Landlord', 'Brandt & Sohn Immobilien GmbH'), ('Bank', 'Sparkasse')], footer='© Brandt & Sohn GmbH')
    letter(t / 'contract_Meier.docx', [['Between Brandt & Sohn GmbH and Mr Meier.']], header='Brandt & Sohn GmbH')
    letter(t / 'Contract frame.docx', [['Frame contract of Brandt & Sohn GmbH.']])
    letter(t / 'subcontractors.docx', [['Subcontractors of Brandt & Sohn GmbH:'], ['Möller & Sohn GmbH']])
    letter(t / 'rent.docx', [['To Brandt & Sohn Immobilien GmbH:'], ['the rent is ', '*too high*', '.']])
    (folder / 'note.txt').write_text('Brandt & Sohn GmbH: new name from 1 July\n')
