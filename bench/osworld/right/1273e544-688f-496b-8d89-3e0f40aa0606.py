import openpyxl

book = openpyxl.load_workbook("NetIncome.xlsx")
column = next(cell.column_letter for cell in book.active[1] if cell.value == "Revenue")
sheet = book.create_sheet("Sheet2")
for number, cell in enumerate(book.worksheets[0][column], 1):
    sheet.cell(number, 1).value = cell.value
book.save("NetIncome.xlsx")
