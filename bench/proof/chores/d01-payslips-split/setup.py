PAGES = [
    ['Department: Sales', 'April 2025'],
    ['Personnel no. 10427', 'Ada Brandt', 'April 2025', 'Gross 3,900.00', 'Net 2,511.30'],
    ['Personnel no. 10311', 'Kofi Mensah', 'April 2025', 'Gross 4,150.00', 'Net 2,640.02'],
    ['Personnel no. 10427', 'Ada Brandt', 'Travel costs', 'Train 84.20'],
    ['Personnel no. 10388', 'Lena Fox', 'April 2025', 'Stands in for Personnel no. 10311', 'Gross 2,200.00'],
    ['Department: Workshop', 'Supervisor: Personnel no. 10388'],
    ['Personnel no. 10455', 'Igor Petrov', 'April 2025', 'Gross 3,010.00'],
    ['Personnel no. 10311', 'Kofi Mensah', 'Correction of March', 'Net 12.40'],
    ['Personnel no. 1042', 'Rosa Diaz', 'April 2025', 'Gross 5,020.00'],
    ['Personnel no. 10311', 'Kofi Mensah', 'Car allowance', 'Net 150.00'],
    ['End of file', 'Total Personnel no. 5'],
]


def pdf(pages):
    """A plain PDF with these lines on its pages."""
    count = len(pages)
    kids = ' '.join(f'{4 + 2 * n} 0 R' for n in range(count))
    objects = [b'<< /Type /Catalog /Pages 2 0 R >>',
               f'<< /Type /Pages /Kids [{kids}] /Count {count} >>'.encode(),
               b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
    for number, lines in enumerate(pages):
        objects.append((f'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R'
                        ' /Resources << /Font << /F1 3 0 R >> >> >>').encode())
        shown = ''.join(f'({line}) Tj 0 -24 Td ' for line in lines)
        stream = f'BT /F1 12 Tf 60 780 Td {shown}ET'.encode()
        objects.append(b'<< /Length %d >>\nstream\n%s\nendstream' % (len(stream), stream))
    out, places = b'%PDF-1.4\n', []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b'%d 0 obj\n%s\nendobj\n' % (number, body)
    table = len(out)
    out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(objects) + 1)
    out += b''.join(b'%010d 00000 n \n' % place for place in places)
    return out + b'trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % (len(objects) + 1, table)


def setup(folder):
    (folder / 'payslips_2025-04.pdf').write_bytes(pdf(PAGES))
