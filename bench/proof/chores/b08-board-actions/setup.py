import re
import zipfile
from docx import Document

MINUTES = {
    'Board 2025-01-14.docx': ['# Board meeting', 'Present: Priya, Ben, Zoë, Amir', 'The ACTION plan for spring was discussed at length.',
                              'ACTION Priya: order the folding tables', 'Heating costs went up again.', 'Action Ben: ask the council about the lease: terms & length (done)',
                              'ACTION Zoë: find a caterer, max. £400'],
    'Board 2025-02-11.docx': ['# Board meeting', 'Apologies: Amir', 'action Ben: fix the notice board', 'ACTION Priya: send the tables invoice to Zoë (done)',
                              'Actions from last time were reviewed.', 'ACTION Ben: return the keys (done)'],
    'Board 2024-12-03.docx': ['# Board meeting', 'ACTION Amir: book the hall for 5 April', 'Priya: nothing to report.', 'ACTION Priya: check the fire (and smoke) alarms'],
}


def rezip(path):
    """The same bytes every time: no clock in the package."""
    with zipfile.ZipFile(path) as z:
        parts = [(i.filename, z.read(i.filename)) for i in z.infolist()]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', b'2025-01-02T08:00:00Z', data)
            z.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 8, 0, 0)), data)


def setup(folder):
    (folder / 'minutes').mkdir()
    for name, paragraphs in MINUTES.items():
        doc = Document()
        for text in paragraphs:
            if text.startswith('# '):
                doc.add_heading(text[2:], 1)
            else:
                p = doc.add_paragraph()
                p.add_run(text[:9]).bold = text.lower().startswith('action ')
                p.add_run(text[9:])
        doc.save(folder / 'minutes' / name)
        rezip(folder / 'minutes' / name)
    (folder / 'minutes' / 'agenda 2025-03-11.txt').write_text('Agenda\nACTION Ben: (to be agreed)\n', newline='')
