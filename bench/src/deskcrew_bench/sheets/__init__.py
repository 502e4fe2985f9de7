"""Tasks of SheetCopilot's kind: a workbook, an instruction, and reference results that a checker compares with."""
