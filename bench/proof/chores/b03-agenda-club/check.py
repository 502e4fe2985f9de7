from pathlib import Path


def files(p):
    return {q.relative_to(p).as_posix(): q for q in Path(p).rglob('*') if q.is_file()}


def rest(start, end, changed=(), new=(), gone=()):
    """What is wrong with the files that are not to change, or ''."""
    a, b = files(start), files(end)
    for n in a:
        if n in gone:
            if n in b:
                return f'{n} is still there'
        elif n not in b:
            return f'{n} is missing'
        elif n not in changed and a[n].read_bytes() != b[n].read_bytes():
            return f'{n} was changed'
    for n in b:
        if n not in a and n not in new:
            return f'{n} should not be there'
    for n in new:
        if n not in b:
            return f'{n} was not made'
    return ''


import csv
import io

WANT = [
    ['date', 'heure', 'titre', 'lieu'],
    ['03/05/2025', '19:30', 'Assemblée générale extraordinaire avec présentation des comptes et élection du bureau', 'Salle des fêtes'],
    ['08/05/2025', '09:00', 'Randonnée à Étretat', ''],
    ['12/05/2025', '07:15', 'Réunion du bureau', "Café de l'Ouest"],
    ['17/05/2025', '14:00', 'Tournoi de pétanque; finale', 'Boulodrome, allée des Tilleuls'],
    ['29/05/2025', '', 'Journée portes ouvertes', 'Club-house'],
    ['31/05/2025', '20:30', 'Concert « Les Cigales »', 'Église Saint-Loup'],
]


def check(start, end, answer):
    wrong = rest(start, end, new=('mai.csv',))
    if wrong:
        return wrong
    try:
        text = (end / 'mai.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'mai.csv is not UTF-8'
    rows = [r for r in csv.reader(io.StringIO(text, newline=''), delimiter=';') if r]
    for have, want in zip(rows, WANT):
        if have != want:
            return f'mai.csv has {have}, not {want}'
    return '' if len(rows) == len(WANT) else f'mai.csv has {len(rows)} lines, not {len(WANT)}'
