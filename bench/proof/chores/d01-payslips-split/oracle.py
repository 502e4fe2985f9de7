import re
from pathlib import Path

from pypdf import PdfReader, PdfWriter

writers = {}
for page in PdfReader('payslips_2025-04.pdf').pages:
    lines = [line.strip() for line in page.extract_text().splitlines() if line.strip()]
    number = re.fullmatch(r'Personnel no\. (\d+)', lines[0]) if lines else None
    if number:
        writers.setdefault(number.group(1), PdfWriter()).add_page(page)
Path('slips').mkdir(exist_ok=True)
for number, writer in writers.items():
    writer.write(Path('slips') / f'{number}.pdf')
