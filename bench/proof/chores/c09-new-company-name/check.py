import re

from pptx import Presentation

def tree(root):
    """Every file below root but the .trash: relative name -> bytes."""
    found = {}
    for path in sorted(root.rglob('*')):
        rel = path.relative_to(root)
        if '.trash' not in rel.parts and path.is_file():
            found[rel.as_posix()] = path.read_bytes()
    return found


def folders(root):
    return {p.relative_to(root).as_posix() for p in root.rglob('*')
            if p.is_dir() and '.trash' not in p.relative_to(root).parts}


def elsewhere(start, end, changed=(), added=(), removed=()):
    """A reason when anything but the named files differs, or one of them is not there."""
    was, now = tree(start), tree(end)
    for name in list(added) + list(changed):
        if name not in now:
            return f'{name} is missing'
    for name in removed:
        if name in now:
            return f'{name} should not be there any more'
    for name, data in was.items():
        if name in removed:
            continue
        if name not in now:
            return f'{name} is gone'
        if name not in changed and now[name] != data:
            return f'{name} was changed'
    for name in now:
        if name not in was and name not in added:
            return f'{name} was added'
    for name in folders(end) - folders(start):
        if not any(n.startswith(name + '/') for n in now):
            return f'an empty folder {name} was added'
    return ''


def numbers(text):
    """The numbers in a text, each read in every way it can be meant (1,234.5 or 1.234,5)."""
    found = set()
    tokens = re.findall(r"\d+(?:[.,'’\u00a0\u202f]\d+)*", text)
    tokens += re.findall(r'\d{1,3}(?: \d{3})+(?:[.,]\d+)?', text)
    for token in tokens:
        parts = re.split(r'[^\d]', token)
        found.add(float(''.join(parts)))
        if len(parts) > 1:
            found.add(float(''.join(parts[:-1]) + '.' + parts[-1]))
    return found


def has_number(text, value, *words):
    """Whether the text gives this number, in figures or in one of the words."""
    if any(abs(n - value) < 0.005 for n in numbers(text)):
        return True
    for word in words:
        pattern = re.escape(word)
        if word.isascii():
            pattern = rf'\b{pattern}\b'
        if re.search(pattern, text, re.I):
            return True
    return False


OLD, NEW = 'Nordwind Software', 'Nordwind Labs'
DECKS = ['pitch/sales.pptx', 'pitch/investors.pptx']


def pieces(shapes):
    """Everything on a slide: (shape name, place) and, letter by letter, text with its look."""
    for shape in shapes:
        place = (shape.name, shape.left, shape.top, shape.width, shape.height)
        if shape.shape_type == 6:
            yield place, None
            yield from pieces(shape.shapes)
            continue
        frames = []
        if shape.has_text_frame:
            frames = [shape.text_frame]
        elif getattr(shape, 'has_table', False) and shape.has_table:
            frames = [cell.text_frame for row in shape.table.rows for cell in row.cells]
        for frame in frames:
            for paragraph in frame.paragraphs:
                yield place, [(c, run.font.bold, run.font.italic, run.font.size)
                              for run in paragraph.runs for c in run.text]
        if not frames:
            yield place, None


def renamed(marks):
    while OLD in ''.join(m[0] for m in marks):
        at = ''.join(m[0] for m in marks).index(OLD)
        marks = marks[:at] + [(c,) + marks[at][1:] for c in NEW] + marks[at + len(OLD):]
    return marks


def content(slide):
    found = list(pieces(slide.shapes))
    if slide.has_notes_slide:
        found += list(pieces(slide.notes_slide.shapes))
    return found


def check(start, end, answer):
    reason = elsewhere(start, end, changed=DECKS)
    if reason:
        return reason
    for name in DECKS:
        old = Presentation(str(start / name))
        try:
            new = Presentation(str(end / name))
        except Exception as error:
            return f'{name} cannot be read: {error}'
        if len(old.slides) != len(new.slides):
            return f'{name} has not the same number of slides'
        for number, (was, now) in enumerate(zip(old.slides, new.slides), 1):
            if was.slide_layout.name != now.slide_layout.name:
                return f'{name}, slide {number}: another layout'
            history = was.shapes.title.text_frame.text == 'Our history'
            want, have = content(was), content(now)
            if len(want) != len(have):
                return f'{name}, slide {number}: not the same shapes and paragraphs'
            for (place, marks), (spot, got) in zip(want, have):
                if place != spot:
                    return f'{name}, slide {number}: shape {place[0]} changed'
                if marks is None:
                    continue
                marks = marks if history else renamed(marks)
                text = [''.join(m[0] for m in x) for x in (marks, got or [])]
                if text[0] != text[1]:
                    return f'{name}, slide {number}: {text[1]!r} instead of {text[0]!r}'
                if marks != got:
                    return f'{name}, slide {number}: formatting of {text[1]!r} changed'
    if not has_number(answer, 7, 'seven'):
        return 'the answer does not say 7 slides'
    return ''
