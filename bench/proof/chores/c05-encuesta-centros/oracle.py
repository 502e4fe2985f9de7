import csv
import json
from datetime import datetime
from pathlib import Path

QUESTIONS = ['q1', 'q2', 'q3', 'q4', 'q5']

latest = {}
for path in sorted(Path('respuestas').glob('*/*.json')):
    data = json.loads(path.read_text(encoding='utf-8'))
    data['centro'] = path.parent.name
    data['cuando'] = datetime.fromisoformat(data['enviado'])
    known = latest.get(data['id'])
    if known is None or data['cuando'] > known['cuando']:
        latest[data['id']] = data

with open('encuesta.csv', 'w', newline='', encoding='utf-8') as file:
    writer = csv.writer(file)
    writer.writerow(['id', 'centro', 'edad'] + QUESTIONS + ['media'])
    for pid in sorted(latest):
        data = latest[pid]
        if not data['consentimiento']:
            continue
        answers = [data['respuestas'].get(q) for q in QUESTIONS]
        given = [a for a in answers if a is not None]
        mean = f'{sum(given) / len(given):.2f}' if given else ''
        writer.writerow([pid, data['centro'], data['edad']] + ['' if a is None else a for a in answers] + [mean])
