import re
from pathlib import Path

inbox, reminders = Path('Eingang'), Path('Mahnungen')
for path in sorted(inbox.glob('*.txt')):
    text = path.read_text(encoding='utf-8')
    kind = text.splitlines()[0].strip().lower()
    if kind == 'rechnung':
        day, month, year = re.search(r'^Rechnungsdatum: (\d\d)\.(\d\d)\.(\d{4})', text, re.M).groups()
        firm = re.search(r'^Firma: (.+)$', text, re.M).group(1).strip()
        path.rename(inbox / f'{year}-{month}-{day} {firm}.txt')
    elif kind == 'mahnung':
        path.rename(reminders / path.name)
