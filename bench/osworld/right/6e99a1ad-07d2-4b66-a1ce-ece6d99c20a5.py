import openpyxl

book = openpyxl.load_workbook("Keep_Two_decimal_points.xlsx")
column = next(cell.column_letter for cell in book.active[1] if cell.value == "spent")
for cell in book.active[column][1:]:
    cell.number_format = "0.00"
book.save("Keep_Two_decimal_points.xlsx")
