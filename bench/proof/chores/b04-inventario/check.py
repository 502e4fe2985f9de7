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
    ('AB-12', 'Enchufe múltiple blanco', 11, 12.90, '2025-02-03'),
    ('AB-120', 'Cable HDMI, 2 m', 14, 8.90, '2025-03-02'),
    ('CN-7', 'Cuaderno español A4', 35, 2.20, '2025-02-28'),
    ('DR-3', 'Destornillador', 9, 4.75, '2024-12-30'),
    ('LZ-01', 'Lápiz HB', 200, 0.35, '2025-03-09'),
    ('LZ-010', 'Lápiz de color', 90, 0.55, '2025-01-07'),
    ('NU-5', 'Pañuelos, caja', 75, 1.15, '2025-02-20'),
    ('PL-9', 'Pilas AA (pack 4)', 48, 4.05, '2025-03-10'),
]


def check(start, end, answer):
    wrong = rest(start, end, new=('inventario.csv',))
    if wrong:
        return wrong
    try:
        text = (end / 'inventario.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'inventario.csv is not UTF-8'
    rows = [r for r in csv.reader(io.StringIO(text, newline='')) if r]
    if not rows or rows[0] != ['codigo', 'articulo', 'cantidad', 'precio', 'actualizado']:
        return 'the heading of inventario.csv is wrong'
    have = []
    for r in rows[1:]:
        try:
            have.append((r[0], r[1], float(r[2]), float(r[3]), r[4]))
        except (IndexError, ValueError):
            return f'the row {r} is not right'
        if len(r) != 5:
            return f'the row {r} has {len(r)} cells'
    for a, b in zip(have, WANT):
        if a != b:
            return f'inventario.csv has {a}, not {b}'
    return '' if len(have) == len(WANT) else f'inventario.csv has {len(have)} rows, not {len(WANT)}'
