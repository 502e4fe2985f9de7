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


# file -> what its lines become: line number in the old file -> new lines
WANT = {
    'services/billing/app.ini': {8: ['host = db-stg-02.internal'], 9: ['port = 5433']},
    'services/search/config/search.ini': {7: ['host=db-stg-02.internal', 'port=5433']},
    'services/reports/reports.ini': {7: ['port = 5433'], 9: ['host = db-stg-02.internal']},
}


def check(start, end, answer):
    reason = elsewhere(start, end, changed=list(WANT))
    if reason:
        return reason
    for name, changes in WANT.items():
        want = []
        for number, line in enumerate((start / name).read_text().splitlines(), 1):
            want += [(new, True) for new in changes[number]] if number in changes else [(line, False)]
        have = (end / name).read_text().splitlines()
        if len(want) != len(have):
            return f'{name}: {len(have)} lines instead of {len(want)}'
        for (line, new), got in zip(want, have):
            if new:      # the blanks around the = are free
                line, got = (''.join(t.split()) for t in (line, got))
            if line != got:
                return f'{name}: {got!r} instead of {line!r}'
    return ''
