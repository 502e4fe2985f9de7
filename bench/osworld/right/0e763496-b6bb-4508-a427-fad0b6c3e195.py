import docx

path = "Desktop/Dublin_Zoo_Intro.docx"
document = docx.Document(path)
for paragraph in document.paragraphs:
    for run in paragraph.runs:
        run.font.name = "Times New Roman"
document.save(path)
