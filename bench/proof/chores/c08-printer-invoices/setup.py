from email.message import EmailMessage


def pdf(text):
    """A small PDF of one page."""
    stream = f'BT /F1 14 Tf 60 760 Td ({text}) Tj ET'.encode()
    objects = [b'<< /Type /Catalog /Pages 2 0 R >>',
               b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
               b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R'
               b' /Resources << /Font << /F1 5 0 R >> >> >>',
               b'<< /Length %d >>\nstream\n%s\nendstream' % (len(stream), stream),
               b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
    out, places = b'%PDF-1.4\n', []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b'%d 0 obj\n%s\nendobj\n' % (number, body)
    table = len(out)
    out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(objects) + 1)
    out += b''.join(b'%010d 00000 n \n' % place for place in places)
    return out + b'trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % (len(objects) + 1, table)


PNG = bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489'
                    '0000000d49444154789c6360f8cf500f0003860180d2c3d9b80000000049454e44ae426082')

# file, from, date, subject, body, attachments, reply-to
MAILS = [
    ('0001.eml', 'Brightline Print <billing@brightline-print.com>', 'Fri, 08 Mar 2024 09:12:44 +0100',
     'Invoice RE-1182', 'Please find our invoice attached.', ['RE-1182.pdf', 'logo.png'], None),
    ('0002.eml', 'Brightline Events <billing@brightline-events.com>', 'Mon, 11 Mar 2024 10:00:00 +0100',
     'Invoice RE-77', 'Your booth.', ['RE-77.pdf'], None),
    ('0003.eml', 'Jo Marsh <jo.marsh@brightline-print.com>', 'Sun, 31 Dec 2023 23:40:00 -0500',
     'Invoice RE-1101', 'Happy new year!', ['RE-1101.pdf'], None),
    ('0004.eml', 'Jo Marsh <Jo.Marsh@Brightline-Print.com>', 'Tue, 02 Jan 2024 08:05:00 +0100',
     'Flyers – zwei Rechnungen, zusammen', 'Two this time.', ['RE-1103.pdf', 'RE-1102.pdf'], None),
    ('0005.eml', 'Office <office@ourshop.example>', 'Wed, 03 Jan 2024 12:00:00 +0100',
     'Fwd: Invoice from billing@brightline-print.com', 'Can you pay this?', ['RE-1104.pdf'],
     'billing@brightline-print.com'),
    ('sub/0006.eml', 'billing@brightline-print.com', 'Tue, 31 Dec 2024 23:30:00 -0500',
     'Rechnung für Broschüren', 'Attached.', ['RE-1250.PDF'], None),
    ('sub/0007.eml', 'Brightline Print <billing@brightline-print.com>', 'Thu, 02 Jan 2025 09:00:00 +0100',
     'Invoice RE-1251', 'Attached.', ['RE-1251.pdf'], None),
    ('sub/0008.eml', 'Brightline Print <billing@brightline-print.com>', 'Fri, 14 Jun 2024 16:20:00 +0200',
     'Opening hours in summer', 'We are closed in August.', ['summer.png'], None),
    ('sub/0009.eml', 'Brightline Print <billing@brightline-print.com>', 'Fri, 08 Mar 2024 17:45:00 +0100',
     'Credit note', 'Sorry about the mistake.', ['GU-0031.pdf'], None),
    ('sub/0010.eml', 'Sales <sales@brightline-print.com.example>', 'Mon, 05 Feb 2024 09:00:00 +0100',
     'Special offer', 'Cheap!', ['offer.pdf'], None),
]


def setup(folder):
    for number, (name, sender, date, subject, body, attachments, reply) in enumerate(MAILS):
        mail = EmailMessage()
        mail['From'] = sender
        mail['To'] = 'Dana <dana@ourshop.example>'
        if reply:
            mail['Reply-To'] = reply
        mail['Date'] = date
        mail['Subject'] = subject
        mail['Message-ID'] = f'<{number:04d}@mail.example>'
        mail.set_content(body + '\n')
        for attachment in attachments:
            if attachment.endswith('.png'):
                mail.add_attachment(PNG, maintype='image', subtype='png', filename=attachment)
            else:
                mail.add_attachment(pdf(attachment.rsplit('.', 1)[0]), maintype='application',
                                    subtype='octet-stream' if attachment == 'GU-0031.pdf' else 'pdf',
                                    filename=attachment)
        mail.set_boundary(f'=====part-{number:04d}=====')
        path = folder / 'mailbox' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(mail.as_bytes())
    (folder / 'mailbox' / 'readme.txt').write_bytes(b'Exported from Outlook\n')
