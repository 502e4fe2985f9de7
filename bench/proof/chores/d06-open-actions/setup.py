import re
import zipfile

from docx import Document

# file -> items (who, what, due, status)
MINUTES = {
    '2024-11-12 minutes.docx': [
        ('Ravi', 'Ask two firms about the lift', '10 Dec 2024', 'open'),
        ('Ravi', 'Find the old floor plans', '20 Dec 2024', 'open'),
        ('Ravi', 'Photograph the cellar', '20 Dec 2024', 'open')],
    '2025-01-14 minutes.docx': [
        ('Julia', 'Get a quote for the roof', '14 Mar 2025', 'in progress'),
        ('Omar', 'Read the meters', '31 Jan 2025', 'done'),
        ('Ravi', 'Ask two firms about the lift, again', '02 Feb 2025', 'open')],
    '2025-02-11 minutes DRAFT.docx': [
        ('Helen', 'Write to the council', '28 Feb 2025', 'open'),
        ('Omar', 'Repair the gate', '01 Mar 2025', 'open'),
        ('Omar', 'Oil the gate', '01 Mar 2025', 'open')],
    '2025-02-11 minutes.docx': [
        ('Helen', 'Write to the council', '28 Feb 2025', 'Done'),
        ('Omar', 'Repair the gate', '08 Apr 2025', 'open'),
        ('Helen', 'Collect the keys', '14 Mar 2025', 'waiting')],
    '2025-03-11 minutes.docx': [
        ('Julia', 'Keys: second reminder', '09 Apr 2025', 'open'),
        ('Omar', 'Order gravel', '21 Mar 2025', 'DONE'),
        ('Ravi', 'Invite the surveyor', '14 Mar 2025', 'open'),
        ('Helen', 'Compare the three quotes', '30 Apr 2025', 'open')],
    '2025-04-08 minutes.docx': [
        ('Omar', 'Mow the lawn', '12 Apr 2025', 'open'),
        ('Julia', 'Book the hall for 13 May 2025', '01 May 2025', 'open'),
        ('Helen', 'Thank the neighbours', '10 Apr 2025', 'done'),
        ('Julia', 'Order a new lock', '30 Apr 2025', 'open')],
}

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


def table(document, rows):
    made = document.add_table(rows=0, cols=len(rows[0]))
    made.style = 'Table Grid'
    for row in rows:
        for cell, text in zip(made.add_row().cells, row):
            cell.text = text


def setup(folder):
    (folder / 'minutes').mkdir()
    for name, items in MINUTES.items():
        document = Document()
        document.add_heading('Building committee', 1)
        document.add_paragraph(f'Meeting of {name[:10]}, community room.')
        table(document, [('Who', 'Present'), ('Helen', 'yes'), ('Omar', 'yes'), ('Julia', 'no'), ('Ravi', 'yes')])
        document.add_paragraph('We talked about the roof, the gate and the lift. Omar: the gate is open.')
        document.add_heading('Action items', 2)
        table(document, [('Who', 'What', 'Due', 'Status')] + items)
        document.add_paragraph('Next meeting as usual.')
        document.save(folder / 'minutes' / name)
        freeze(folder / 'minutes' / name)
    (folder / 'minutes' / 'agenda 2025-05-13.txt').write_bytes(b'1. Roof\n2. Lift\n')
