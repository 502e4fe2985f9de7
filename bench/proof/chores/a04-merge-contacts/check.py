import csv, io

WANT = [
    ['Anna Lind', 'anna.lind@example.se', 'Malmö'],
    ['Bob Smith', 'bob.smith@example.com', 'York'],
    ['Smith, Robert', 'bob@smith.example', 'Leeds'],
    ['Ines Öztürk', 'ines@oeztuerk.example', 'Münster'],
    ['Jürgen Groß', 'juergen.gross@example.de', 'Köln'],
    ['Marta Nowak', 'marta@nowak.example', 'Lódz'],
    ['Urs Bürgi', 'urs@buergi.example', 'Zürich'],
    ['Zoë "Zo" Blanc', 'zoe@blanc.example', 'Paris, 11e'],
]

def check(start, end, answer):
    names = sorted(f.relative_to(end).as_posix() for f in end.rglob('*') if f.is_file())
    if names != ['contacts.csv', 'fair.csv', 'newsletter.csv']:
        return f'wrong set of files: {names}'
    for n in ('fair.csv', 'newsletter.csv'):
        if (start / n).read_bytes() != (end / n).read_bytes():
            return f'{n} was changed'
    try:
        text = (end / 'contacts.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'contacts.csv is not UTF-8'
    rows = [[c.strip() for c in r] for r in csv.reader(io.StringIO(text)) if r]
    if not rows or [c.lower() for c in rows[0]] != ['name', 'email', 'city']:
        return 'wrong header'
    if rows[1:] != WANT:
        return f'wrong entries or order: {rows[1:]}'
    return ''
