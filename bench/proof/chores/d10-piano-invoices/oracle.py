import csv
import html
import re
from collections import defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path


def length(event):
    if 'DTEND' in event:
        return moment(event['DTEND']) - moment(event['DTSTART'])
    weeks, days, hours, minutes, seconds = (int(n or 0) for n in re.fullmatch(
        r'P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?', event['DURATION']).groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def moment(text):
    return datetime.strptime(text, '%Y%m%dT%H%M%S')


text = Path('lessons.ics').read_bytes().decode('utf-8').replace('\r\n', '\n')
text = re.sub(r'\n[ \t]', '', text)
lessons = defaultdict(list)
event = {}
for line in text.splitlines():
    key, _, value = line.partition(':')
    key = key.split(';')[0].upper()
    if line == 'BEGIN:VEVENT':
        event = {}
    elif line == 'END:VEVENT':
        title = re.sub(r'\\([,;\\])', r'\1', event.get('SUMMARY', ''))
        if (title.startswith('Lesson: ') and event.get('STATUS', '').upper() != 'CANCELLED'
                and event['DTSTART'].startswith('202505')):
            lessons[title[len('Lesson: '):].strip()].append(length(event))
    else:
        event[key] = value

with open('rates.csv', newline='', encoding='utf-8-sig') as file:
    rates = {row['student']: Decimal(row['rate']) for row in csv.DictReader(file)}
template = Path('invoice_template.html').read_bytes().decode('utf-8')
Path('invoices').mkdir(exist_ok=True)
for student, lengths in lessons.items():
    hours = Decimal(sum(lengths, timedelta()) // timedelta(seconds=1)) / 3600
    page = template
    for key, value in [('student', html.escape(student)), ('lessons', str(len(lengths))),
                       ('hours', f'{hours:.2f}'), ('total', f'{hours * rates[student]:.2f}')]:
        page = page.replace('{{' + key + '}}', value)
    (Path('invoices') / f'{student}.html').write_bytes(page.encode('utf-8'))
