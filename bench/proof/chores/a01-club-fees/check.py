import csv, io

WANT = [
    ['number', 'name', 'email', 'open'],
    ['023', 'Ng, Li', 'li.ng@example.net', '140.00'],
    ['012', "O'Neil, Sean", 'sean.oneil@example.com', '120.00'],
    ['033', 'Karl Weiß', 'k.weiss@example.de', '80.00'],
    ['015', 'Grete Sørensen', '', '44.50'],
    ['007', 'Müller, Jörg', 'joerg.mueller@example.org', '30.00'],
    ['040', 'Peter Zahn', 'zahn@example.de', '0.10'],
]

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    a, b = files(start), files(end)
    new = b.pop('reminders.csv', None)
    if new is None:
        return 'there is no reminders.csv'
    if a != b:
        return 'another file was changed, added or removed'
    try:
        text = new.decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'reminders.csv is not UTF-8'
    rows = [[c.strip() for c in r] for r in csv.reader(io.StringIO(text)) if r]
    if not rows or [c.lower() for c in rows[0]] != WANT[0]:
        return 'wrong heading line'
    if sorted(rows[1:]) != sorted(WANT[1:]):
        return f'wrong rows: {rows[1:]}'
    if rows[1:] != WANT[1:]:
        return 'wrong order'
    return ''
