"""Values at addresses inside files (``report.docx#paragraph[3].bold``): a tree for each type of file, looked up in one
way."""
