TEMPLATE = '''<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Invoice for {{student}}</title></head>
<body>
<h1>Invoice</h1>
<p>Piano lessons of <b>{{student}}</b> in May 2025</p>
<table>
<tr><th>Lessons</th><th>Hours</th><th>Amount</th></tr>
<tr><td>{{lessons}}</td><td>{{hours}}</td><td>&pound;{{total}}</td></tr>
</table>
<p>Please pay <b>&pound;{{total}}</b> by 15 June. Your lessons: {{lessons}}.</p>
<!-- student no longer here? see rates -->
</body>
</html>
'''

RATES = '''student,rate
Emma Clarke,42.00
Tom & Ida Byrne,38.40
Zoë Martin,36.00
Liam Walsh,42.00
Emma Clark,40.00
Nadia Rahman,44.80
'''

#   start, end or duration, title, more lines
EVENTS = [
    ('20240507T160000', '20240507T170000', 'Lesson: Liam Walsh', []),
    ('20250430T160000', '20250430T170000', 'Lesson: Emma Clarke', []),
    ('20250501T090000', '20250501T094500', 'Lesson: Nadia Rahman', ['STATUS:CONFIRMED']),
    ('20250506T160000', '20250506T164500', 'Lesson: Emma Clarke', []),
    ('20250506T170000', 'PT45M', 'Lesson: Zoë Martin', []),
    ('20250508T150000', '20250508T160000', 'Lesson: Tom & Ida Byrne', ['STATUS:CONFIRMED']),
    ('20250509T160000', '20250509T170000', 'Lesson: Liam Walsh', ['STATUS:CANCELLED']),
    ('20250510T180000', '20250510T200000', 'Recital: Emma Clarke', []),
    ('20250513T160000', '20250513T173000', 'Lesson: Emma Clarke', ['DESCRIPTION:Bring the Chopin\\, please. Last time it was forgotten at ho',
                                                                   ' me and we had to improvise.']),
    ('20250515T150000', '20250515T161500', 'Lesson: Tom & Ida Byrne', []),
    ('20250520T160000', '20250520T164500', 'Lesson: Emma Clarke', ['STATUS:CANCELLED']),
    ('20250521T160000', 'PT1H', 'Lesson: Emma Clark', []),
    ('20250522T100000', '20250522T110000', 'Dentist', []),
    ('20250531T183000', '20250531T193000', 'Lesson: Zoë Martin', []),
    ('20250601T090000', '20250601T100000', 'Lesson: Zoë Martin', []),
    ('20250603T160000', '20250603T170000', 'Lesson: Liam Walsh', []),
]


def setup(folder):
    lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Calendar//EN']
    for number, (begin, end, title, more) in enumerate(EVENTS, 1):
        lines += ['BEGIN:VEVENT', f'UID:{number:04d}@piano.example', 'DTSTAMP:20250101T000000Z',
                  f'DTSTART;TZID=Europe/London:{begin}']
        lines.append(f'DURATION:{end}' if end.startswith('P') else f'DTEND;TZID=Europe/London:{end}')
        # long lines are folded in this format, as with the siblings here
        if '&' in title:
            lines += [f'SUMMARY:{title[:16]}', f' {title[16:]}']
        else:
            lines.append(f'SUMMARY:{title}')
        lines += more + ['END:VEVENT']
    lines.append('END:VCALENDAR')
    (folder / 'lessons.ics').write_bytes('\r\n'.join(lines + ['']).encode('utf-8'))
    (folder / 'invoice_template.html').write_bytes(TEMPLATE.encode('utf-8'))
    (folder / 'rates.csv').write_bytes(RATES.encode('utf-8'))
