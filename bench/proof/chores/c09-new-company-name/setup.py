import re
import zipfile

from pptx import Presentation
from pptx.util import Inches, Pt

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


def slide(deck, title, lines=(), notes=None):
    page = deck.slides.add_slide(deck.slide_layouts[1])
    page.shapes.title.text = title
    frame = page.placeholders[1].text_frame
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        for text, bold, size in ([(line, None, None)] if isinstance(line, str) else line):
            run = paragraph.add_run()
            run.text = text
            run.font.bold = bold
            run.font.size = Pt(size) if size else None
    if notes:
        page.notes_slide.notes_text_frame.text = notes
    return page


def sales(path):
    deck = Presentation()
    page = deck.slides.add_slide(deck.slide_layouts[0])
    page.shapes.title.text = 'Nordwind Software'
    page.placeholders[1].text = 'Sales deck'
    slide(deck, 'What we do', ['Route planning', 'Weather data for ships'],
          'Mention that Nordwind Software is ISO certified.')
    slide(deck, 'Our history', ['2009: Nordwind Software founded in Kiel', '2016: 40 people'],
          'Nordwind Software started in a garage.')
    page = deck.slides.add_slide(deck.slide_layouts[5])
    page.shapes.title.text = 'Compared with others'
    table = page.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(7), Inches(2)).table
    paragraph = table.cell(0, 0).text_frame.paragraphs[0]
    for text in ('Nord', 'wind Soft', 'ware'):
        run = paragraph.add_run()
        run.text = text
        run.font.italic = True
    table.cell(0, 1).text = 'Others'
    table.cell(1, 0).text = 'from 49 a month'
    table.cell(1, 1).text = 'from 80 a month'
    slide(deck, 'Contact', ['info@nordwind-software.com', 'NORDWIND SOFTWARE', 'Hafenstr. 4, Kiel'],
          'Hand out cards.')
    deck.save(path)
    freeze(path)


def investors(path):
    deck = Presentation()
    slide(deck, 'Why now', [[('Nordwind Software', True, 28), (' grows, and so does the market. ', None, 20),
                             ('Nordwind Software', None, 20), (' leads.', None, 20)]])
    slide(deck, 'Our history', ['Founded as Nordwind Software'], 'Nordwind Software: skip if short of time')
    page = deck.slides.add_slide(deck.slide_layouts[5])
    page.shapes.title.text = 'Structure'
    group = page.shapes.add_group_shape()
    for number, text in enumerate(['Nordwind Software GmbH', 'Holding']):
        box = group.shapes.add_textbox(Inches(1 + 3 * number), Inches(2), Inches(3), Inches(1))
        box.text_frame.text = text
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(18)
    slide(deck, 'The next ten years', ['Our history shows: Nordwind Software keeps its promises',
                                       'Nordwind as a whole'], 'Say it with a smile.')
    slide(deck, 'Roadmap of Nordwind Software', ['Q3: beta', 'Q4: launch'])
    slide(deck, 'Thank you', ['Nordwind, and software from Kiel'])
    deck.save(path)
    freeze(path)


def setup(folder):
    (folder / 'pitch' / 'archive').mkdir(parents=True)
    sales(folder / 'pitch' / 'sales.pptx')
    investors(folder / 'pitch' / 'investors.pptx')
    deck = Presentation()
    slide(deck, 'Welcome', ['Nordwind Software in 2019'])
    deck.save(folder / 'pitch' / 'archive' / '2019.pptx')
    freeze(folder / 'pitch' / 'archive' / '2019.pptx')
