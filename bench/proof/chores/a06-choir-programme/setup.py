EVENTS = [
    ("20251206T180000", "Concert: Advent by candlelight", "Town church\\, Kirchplatz 1", ""),
    ("20250830T193000", "Rehearsal: start after the holidays", "Parish hall", ""),
    ("20250913T193000", "Rehearsal: Fauré\\, Requiem", "St Mary's\\, small hall", ""),
    ("20250901T190000", "Rehearsal: voices only", "", "CONFIRMED"),
    ("20251004T193000", "Rehearsal: Rutter", "Parish hall", "CANCELLED"),
    ("20251011T140000", "Outing to the brewery", "Bräuhaus", ""),
    ("20251107T200000", "Concert: Brahms\\; Reger and songs by the Danish composer Carl Nielsen with guests from Århus", "Aula", "CONFIRMED"),
    ("20251107T173000", "Rehearsal: dress rehearsal for tonight", "Aula", ""),
    ("20260103T193000", "Rehearsal: first of the year", "Parish hall", ""),
    ("20251231T153000", "Concert: New Year's Eve", "Hospital chapel", ""),
    ("20241207T180000", "Concert: Advent", "Town church", ""),
    ("20251122T190000", "General meeting before Rehearsal", "Parish hall", "TENTATIVE"),
]

def folded(line):
    data, out = line.encode('utf-8'), []
    while len(data) > 60:
        cut = 60
        while data[cut] & 0xC0 == 0x80:
            cut -= 1
        out.append(data[:cut])
        data = b' ' + data[cut:]
    return b'\r\n'.join(out + [data]) + b'\r\n'

def setup(folder):
    lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Choir//EN', 'X-WR-CALNAME:Choir']
    for n, (when, title, place, status) in enumerate(EVENTS):
        lines += ['BEGIN:VEVENT', f'UID:{n}@choir.example', 'DTSTAMP:20250801T120000Z',
                  f'DTSTART;TZID=Europe/Berlin:{when}', f'SUMMARY:{title}']
        if place:
            lines.append(f'LOCATION:{place}')
        if status:
            lines.append(f'STATUS:{status}')
        lines += ['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Concert soon', 'TRIGGER:-PT1H', 'END:VALARM', 'END:VEVENT']
    lines.append('END:VCALENDAR')
    (folder / 'choir.ics').write_bytes(b''.join(folded(l) for l in lines))
    (folder / 'spring.md').write_text('# Spring 2025\n\n- Sat 08 Mar 2025, 19:30: Rehearsal: Mozart\n', encoding='utf-8')
