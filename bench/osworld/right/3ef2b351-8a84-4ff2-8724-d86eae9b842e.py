import docx

path = "Desktop/Constitution_Template_With_Guidelines.docx"
document = docx.Document(path)
document.paragraphs[0].alignment = 1
document.save(path)
