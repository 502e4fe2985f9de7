WANT = """# Autumn 2025

- Mon 01 Sep 2025, 19:00: Rehearsal: voices only
- Sat 13 Sep 2025, 19:30: Rehearsal: Fauré, Requiem (St Mary's, small hall)
- Fri 07 Nov 2025, 17:30: Rehearsal: dress rehearsal for tonight (Aula)
- Fri 07 Nov 2025, 20:00: Concert: Brahms; Reger and songs by the Danish composer Carl Nielsen with guests from Århus (Aula)
- Sat 06 Dec 2025, 18:00: Concert: Advent by candlelight (Town church, Kirchplatz 1)
- Wed 31 Dec 2025, 15:30: Concert: New Year's Eve (Hospital chapel)""".split('\n')

def check(start, end, answer):
    names = sorted(f.relative_to(end).as_posix() for f in end.rglob('*') if f.is_file())
    if names != ['autumn.md', 'choir.ics', 'spring.md']:
        return f'wrong set of files: {names}'
    for n in ('choir.ics', 'spring.md'):
        if (start / n).read_bytes() != (end / n).read_bytes():
            return f'{n} was changed'
    try:
        got = (end / 'autumn.md').read_bytes().decode('utf-8-sig').rstrip().splitlines()
    except UnicodeDecodeError:
        return 'autumn.md is not UTF-8'
    got = [l.rstrip() for l in got]
    for n, line in enumerate(WANT):
        if n >= len(got):
            return f'a line is missing: {line}'
        if got[n] != line:
            return f'line {n + 1} is {got[n]!r}, should be {line!r}'
    return 'there are too many lines' if len(got) > len(WANT) else ''
