"""What stands at an address of a file (``report.docx#paragraph[3].bold``): a tree for each kind, one way into it."""
