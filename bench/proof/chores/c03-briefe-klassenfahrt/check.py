from docx import Document

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


BRIEFE = {
    'Müller_Jörg': ('Jörg Müller', 'Liebe Frau Müller, lieber Herr Müller', '135,00 €'),
    'Yıldız_Aylin': ('Aylin Yıldız', 'Liebe Frau Yıldız', '185,00 €'),
    'von Hagen_Lea-Marie': ('Lea-Marie von Hagen', 'Liebe Frau von Hagen', '0,00 €'),
    'Becker_Nora': ('Nora Becker', 'Liebe Familie Becker', '92,50 €'),
    'Krüger_Sophie': ('Sophie Krüger', 'Lieber Herr Krüger', '149,50 €'),
}


def letters(paragraph):
    """The paragraph as (letter, bold, italic, size)."""
    return [(c, bool(run.bold), bool(run.italic), run.font.size) for run in paragraph.runs
            for c in run.text.replace('\u00a0', ' ')]


def filled(marks, values):
    text = ''.join(mark[0] for mark in marks)
    for key, value in values.items():
        while key in text:
            at = text.index(key)
            marks = marks[:at] + [(c,) + marks[at][1:] for c in value] + marks[at + len(key):]
            text = ''.join(mark[0] for mark in marks)
    return marks


def parts(document):
    found = [('body', p) for p in document.paragraphs]
    for table in document.tables:
        for row in table.rows:
            for cell in row.cells:
                found += [('table ' + table.style.name, p) for p in cell.paragraphs]
    for section in document.sections:
        found += [('header', p) for p in section.header.paragraphs]
    return found


def check(start, end, answer):
    reason = elsewhere(start, end, added=[f'briefe/{name}.docx' for name in BRIEFE])
    if reason:
        return reason
    template = parts(Document(str(start / 'vorlage_brief.docx')))
    for name, (child, parents, rest) in BRIEFE.items():
        values = {'{{Kind}}': child, '{{Eltern}}': parents, '{{Restbetrag}}': rest}
        try:
            letter = parts(Document(str(end / 'briefe' / f'{name}.docx')))
        except Exception as error:
            return f'{name}.docx cannot be read: {error}'
        if len(letter) != len(template):
            return f'{name}.docx has not the same paragraphs'
        for (where, old), (place, new) in zip(template, letter):
            if where != place or old.style.name != new.style.name:
                return f'{name}.docx: style or place of a paragraph changed'
            want, have = filled(letters(old), values), letters(new)
            if [m[0] for m in want] != [m[0] for m in have]:
                return f'{name}.docx: {new.text!r} is wrong'
            if want != have:
                return f'{name}.docx: formatting of {new.text!r} changed'
    return ''
