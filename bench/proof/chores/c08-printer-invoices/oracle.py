import csv
from email import message_from_bytes, policy
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path

out = Path('invoices-2024')
out.mkdir(exist_ok=True)
rows = []
for path in sorted(Path('mailbox').rglob('*.eml')):
    mail = message_from_bytes(path.read_bytes(), policy=policy.default)
    address = parseaddr(str(mail['From']))[1].lower()
    day = parsedate_to_datetime(str(mail['Date'])).date()
    if not address.endswith('@brightline-print.com') or day.year != 2024:
        continue
    for part in mail.iter_attachments():
        name = part.get_filename() or ''
        if not name.lower().endswith('.pdf'):
            continue
        new = f'{day.isoformat()}_{name}'
        (out / new).write_bytes(part.get_payload(decode=True))
        rows.append((day.isoformat(), str(mail['Subject']), new))
rows.sort(key=lambda row: (row[0], row[2]))
with open(out / 'list.csv', 'w', newline='', encoding='utf-8') as file:
    writer = csv.writer(file)
    writer.writerow(['date', 'subject', 'file'])
    writer.writerows(rows)
