import csv
import re
from collections import defaultdict
from decimal import Decimal

from openpyxl import load_workbook

paid = defaultdict(Decimal)
with open('bank_2025.csv', newline='', encoding='utf-8') as file:
    for row in csv.DictReader(file):
        reference = row['Reference']
        number = re.search(r'\bM-\d+\b', reference, re.I)
        if number and 'fee 2025' in reference.lower():
            paid[number.group().upper()] += Decimal(row['Amount'])

book = load_workbook('members.xlsx')
sheet = book['Members']
column = {cell.value: cell.column for cell in sheet[1]}
behind, owed = 0, Decimal(0)
for row in range(2, sheet.max_row + 1):
    number = sheet.cell(row, column['No']).value
    if not number:
        continue
    fee = Decimal(str(sheet.cell(row, column['Fee']).value))
    total = paid[number]
    sheet.cell(row, column['Paid']).value = float(total)
    if total < fee:
        behind += 1
        owed += fee - total
book.save('members.xlsx')
print(f'{behind} members have paid less than their fee; together they still owe {owed:.2f}.')
