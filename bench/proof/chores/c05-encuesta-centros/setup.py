import json

#        file, id, edad, consent, sent, q1..q5
RESPUESTAS = [
    ('norte/a1.json', 'P004', 34, True, '2025-03-04T10:15:00', [4, 5, 3, 4, 4]),
    ('norte/a2.json', 'P001', 27, True, '2025-03-02T18:00:10', [2, None, 3, 2, 'falta']),
    ('norte/a3.json', 'P009', 61, False, '2025-03-02T18:20:00', [5, 5, 5, 5, 5]),
    ('norte/b1.json', 'P012', 45, True, '2025-03-10T09:00:00', [1, 2, 2, 'falta', 3]),
    ('sur/002.json', 'P002', 52, True, '2025-03-03T12:00:00', [3, 3, 4, 5, 1]),
    ('sur/003.json', 'P007', 19, True, '2025-03-09T08:05:00', [1, 1, 1, 1, 1]),
    ('sur/004.json', 'P007', 19, True, '2025-03-09T08:30:00', [5, 4, None, None, 4]),
    ('sur/005.json', 'P011', 38, True, '2025-03-01T10:00:00', [None, None, None, 2, None]),
    ('San Blas/x.json', 'P003', 70, True, '2025-02-27T16:45:00', [4, 4, 4, 4, 5]),
    ('San Blas/y.json', 'P010', 23, False, '2025-03-05T11:11:11', [2, 2, 3, 3, 4]),
    ('San Blas/z.json', 'P004', 35, True, '2025-03-12T10:00:00', [3, 5, 3, None, 5]),
]


def setup(folder):
    for name, pid, edad, consent, sent, answers in RESPUESTAS:
        path = folder / 'respuestas' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        questions = {f'q{n}': a for n, a in enumerate(answers, 1) if a != 'falta'}
        data = {'id': pid, 'edad': edad, 'consentimiento': consent, 'enviado': sent, 'respuestas': questions}
        path.write_bytes((json.dumps(data, ensure_ascii=False, indent=2) + '\n').encode())
    (folder / 'respuestas' / 'sur' / 'notas.txt').write_bytes('003 se envió por error\n'.encode())
    (folder / 'plantilla.json').write_bytes(
        b'{"id": "P000", "edad": 0, "consentimiento": true, "enviado": "2025-01-01T00:00:00",'
        b' "respuestas": {"q1": 1}}\n')
