from pathlib import Path

from pptx import Presentation

OLD, NEW = 'Nordwind Software', 'Nordwind Labs'


def replace(paragraph):
    hits = 0
    while True:
        text = ''.join(run.text for run in paragraph.runs)
        at = text.find(OLD)
        if at < 0:
            return hits
        hits += 1
        position = 0
        for run in paragraph.runs:
            begin, stop = position, position + len(run.text)
            position = stop
            low, high = max(at, begin), min(at + len(OLD), stop)
            if low < high:
                new = NEW if begin <= at < stop else ''
                run.text = run.text[:low - begin] + new + run.text[high - begin:]


def paragraphs(shapes):
    for shape in shapes:
        if shape.shape_type == 6:      # a group
            yield from paragraphs(shape.shapes)
        elif shape.has_text_frame:
            yield from shape.text_frame.paragraphs
        elif getattr(shape, 'has_table', False) and shape.has_table:
            for row in shape.table.rows:
                for cell in row.cells:
                    yield from cell.text_frame.paragraphs


changed = 0
for path in sorted(Path('pitch').glob('*.pptx')):
    deck = Presentation(str(path))
    for slide in deck.slides:
        title = slide.shapes.title
        if title is not None and title.text_frame.text.strip() == 'Our history':
            continue
        hits = sum(replace(p) for p in paragraphs(slide.shapes))
        if slide.has_notes_slide:
            hits += sum(replace(p) for p in paragraphs(slide.notes_slide.shapes))
        changed += bool(hits)
    deck.save(str(path))
print(f'The name was replaced on {changed} slides altogether.')
