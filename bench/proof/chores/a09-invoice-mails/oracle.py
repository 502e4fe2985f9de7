import re
from decimal import Decimal
from email import message_from_bytes
from email.policy import default
from pathlib import Path

total = Decimal(0)
for file in sorted(Path('inbox').glob('*.eml')):
    mail = message_from_bytes(file.read_bytes(), policy=default)
    if not re.search(r'\binvoice\b', mail['Subject'], re.IGNORECASE):
        continue
    target = Path('invoices') / mail['Date'].datetime.strftime('%Y-%m')
    for part in mail.iter_attachments():
        name = part.get_filename() or ''
        if name.lower().endswith('.pdf'):
            target.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(part.get_payload(decode=True))
    body = mail.get_body(('plain',)).get_content()
    amount = re.search(r'^Amount due: ([\d.,]+)', body, re.MULTILINE)
    if amount:
        total += Decimal(amount[1].replace(',', ''))
print(f'{total:.2f} EUR')
