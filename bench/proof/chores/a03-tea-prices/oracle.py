from decimal import Decimal, ROUND_HALF_UP
from openpyxl import load_workbook

book = load_workbook('prices.xlsx')
sheet = book['Catalogue']
column = {cell.value: cell.column for cell in sheet[1]}
step = Decimal('0.05')
for row in range(2, sheet.max_row + 1):
    category = str(sheet.cell(row, column['Category']).value).strip().lower()
    gone = str(sheet.cell(row, column['Discontinued']).value).strip().lower() == 'yes'
    if category == 'tea' and not gone:
        cell = sheet.cell(row, column['Net'])
        dearer = Decimal(str(cell.value)) * Decimal('1.06')
        cell.value = float((dearer / step).quantize(Decimal(1), ROUND_HALF_UP) * step)
book.save('prices.xlsx')
