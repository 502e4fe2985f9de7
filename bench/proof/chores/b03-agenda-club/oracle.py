import csv
import re

with open('club.ics', encoding='utf-8', newline='') as f:
    text = re.sub(r'\r?\n[ \t]', '', f.read())
rows = []
for block in re.findall(r'BEGIN:VEVENT(.*?)END:VEVENT', text, re.S):
    fields = {}
    for line in block.split('\n'):
        if ':' in line:
            key, value = line.strip().split(':', 1)
            fields[key.split(';')[0]] = re.sub(r'\\([,;\\])', r'\1', value)
    begin = fields['DTSTART']
    if not begin.startswith('202505') or fields.get('STATUS') == 'CANCELLED':
        continue
    clock = f'{begin[9:11]}:{begin[11:13]}' if 'T' in begin else ''
    rows.append((begin, f'{begin[6:8]}/{begin[4:6]}/{begin[:4]}', clock, fields['SUMMARY'], fields.get('LOCATION', '')))
rows.sort()
with open('mai.csv', 'w', encoding='utf-8', newline='') as f:
    out = csv.writer(f, delimiter=';')
    out.writerow(['date', 'heure', 'titre', 'lieu'])
    out.writerows(row[1:] for row in rows)
