from email.message import EmailMessage
from email.policy import SMTP

def pdf(n):
    return b'%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</N ' + str(n).encode() + b'>> endobj\n%%EOF\n'

MAILS = [
    ('001', 'billing@nord-energie.example', 'Your invoice for January', 'Tue, 04 Feb 2025 09:12:00 +0100', 'Dear customer,\n\nAmount due: 84.20 EUR\n', [('NE-2025-01.pdf', 1)]),
    ('002', 'shop@büro.example', 'INVOICE 4711 – Bürobedarf Größe L', 'Mon, 17 Feb 2025 15:40:10 +0100', 'Hallo,\n\nAmount due: 1,129.95 EUR\nKind regards\n', [('Rechnung 4711.PDF', 2), ('agb.txt', 'terms')]),
    ('003', 'ute@example.org', 'Holiday pictures', 'Wed, 19 Feb 2025 20:01:00 +0100', 'See attached. Amount due: one ice cream, i.e. 3.50 EUR\n', [('route.pdf', 3)]),
    ('004', 'billing@nord-energie.example', 'Reminder: payment outstanding', 'Thu, 20 Feb 2025 08:00:00 +0100', 'We have not received your money for the invoice.\nAmount due: 84.20 EUR\n', [('reminder.pdf', 4)]),
    ('005', 'hosting@cloud.example', 'Re: Invoice March (corrected)', 'Mon, 10 Mar 2025 11:00:00 +0000', 'Sorry for the mistake.\n\n> Your bill follows.\nAmount due: 12.00 EUR\n', [('cloud-03.pdf', 5), ('cloud-03-details.pdf', 6), ('logo.png', 'x')]),
    ('006', 'garage@auto.example', 'invoice repair', 'Fri, 14 Mar 2025 17:30:00 +0100', 'Amount due: 407.35 EUR\nPlease collect the paper at our desk.\n', []),
    ('007', 'news@cloud.example', 'How invoicing becomes fun', 'Fri, 21 Mar 2025 06:00:00 +0000', 'Our new product!\n', [('flyer.png', 'y')]),
    ('008', 'kanzlei@recht.example', 'Ihre Anfrage / Invoice 88 für Größen', 'Wed, 11 Dec 2024 10:00:00 +0100', 'Sehr geehrte Frau Weiß,\n\nAmount due: 250.00 EUR\n', [('Gebühren 88.pdf', 8)]),
]
def setup(folder):
    inbox = folder / 'inbox'
    inbox.mkdir()
    for n, sender, subject, date, text, attached in MAILS:
        m = EmailMessage(policy=SMTP)
        m['From'] = sender.replace('ü', 'ue')
        m['To'] = 'weiss@example.de'
        m['Subject'] = subject
        m['Date'] = date
        m['Message-ID'] = f'<{n}@mail.example>'
        m.set_content(text, cte='base64' if 'Weiß' in text else None)
        for name, what in attached:
            if name.lower().endswith('.pdf'):
                kind = ('application', 'octet-stream') if name.endswith('.PDF') else ('application', 'pdf')
                m.add_attachment(pdf(what), maintype=kind[0], subtype=kind[1], filename=name)
            else:
                kind = ('image', 'png') if name.endswith('png') else ('text', 'plain')
                m.add_attachment(what.encode(), maintype=kind[0], subtype=kind[1], filename=name)
        if attached:
            m.set_boundary(f'=====part{n}=====')
        (inbox / f'{n}.eml').write_bytes(m.as_bytes())
