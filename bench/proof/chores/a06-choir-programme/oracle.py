import re
from datetime import datetime
from pathlib import Path

text = Path('choir.ics').read_bytes().decode('utf-8').replace('\r\n', '\n')
text = re.sub(r'\n[ \t]', '', text)
days = 'Mon Tue Wed Thu Fri Sat Sun'.split()
months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()

dates = []
for block in re.findall(r'BEGIN:VEVENT\n(.*?)END:VEVENT', text, re.S):
    field = {}
    for line in block.splitlines():
        key, _, value = line.partition(':')
        field[key.split(';')[0]] = re.sub(r'\\(.)', r'\1', value)
    start = datetime.strptime(field['DTSTART'], '%Y%m%dT%H%M%S')
    if field.get('STATUS') == 'CANCELLED':
        continue
    if not field['SUMMARY'].startswith(('Rehearsal', 'Concert')):
        continue
    if datetime(2025, 9, 1) <= start < datetime(2026, 1, 1):
        dates.append((start, field['SUMMARY'], field.get('LOCATION', '')))

lines = ['# Autumn 2025', '']
for start, title, place in sorted(dates):
    line = f'- {days[start.weekday()]} {start:%d} {months[start.month - 1]} {start:%Y, %H:%M}: {title}'
    lines.append(line + (f' ({place})' if place else ''))
Path('autumn.md').write_text('\n'.join(lines) + '\n', encoding='utf-8')
