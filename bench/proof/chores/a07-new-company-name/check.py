from docx import Document

N = 'Brandt Solutions AG'
# body, bold pieces, cells, header, footer
WANT = {
    'offer.docx': (['Dear Ms Schäfer,', f'thank you for asking {N} for an offer. {N} is glad to help.', 'Valid for 30 days from today.'],
                   [N, 'Valid for 30 days'], [], f'{N}, Hafenstraße 4', ''),
    'invoice.docx': ([f'Invoice of {N}, please pay within 14 days.', 'Mr Brandt will answer all questions.'], ['all'],
                     ['Account holder', N, 'Landlord', 'Brandt & Sohn Immobilien GmbH', 'Bank', 'Sparkasse'], '', f'© {N}'),
    'subcontractors.docx': ([f'Subcontractors of {N}:', 'Möller & Sohn GmbH'], [], [], '', ''),
    'rent.docx': (['To Brandt & Sohn Immobilien GmbH:', 'the rent is too high.'], ['too high'], [], '', ''),
}

def names(p):
    return sorted(f.relative_to(p).as_posix() for f in p.rglob('*') if f.is_file())

def check(start, end, answer):
    if names(start) != names(end):
        return f'other files than before: {names(end)}'
    for n in ('templates/contract_Meier.docx', 'templates/Contract frame.docx', 'note.txt'):
        if (start / n).read_bytes() != (end / n).read_bytes():
            return f'{n} was changed'
    for name, (body, bold, cells, header, footer) in WANT.items():
        try:
            d = Document(end / 'templates' / name)
        except Exception as e:
            return f'{name} cannot be read: {e}'
        got = [p.text for p in d.paragraphs]
        if got != body:
            return f'{name}: text is {got}'
        pieces = []
        for p in d.paragraphs:
            last = False
            for r in p.runs:
                if r.bold and r.text:
                    if last:
                        pieces[-1] += r.text
                    else:
                        pieces.append(r.text)
                if r.text:
                    last = bool(r.bold)
        if pieces != bold:
            return f'{name}: bold is {pieces}, should be {bold}'
        got = [c.text for t in d.tables for row in t.rows for c in row.cells]
        if got != cells:
            return f'{name}: table is {got}'
        s = d.sections[0]
        if ''.join(p.text for p in s.header.paragraphs) != header:
            return f'{name}: wrong header'
        if ''.join(p.text for p in s.footer.paragraphs) != footer:
            return f'{name}: wrong footer'
    return ''
