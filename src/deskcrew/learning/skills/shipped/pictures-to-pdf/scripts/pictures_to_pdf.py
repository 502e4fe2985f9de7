def pictures_to_pdf(files: str, result: str) -> str:
    """Put pictures together into a PDF, a page for each.

    files: the pictures in their order: names or patterns, separated by commas, such as scans/*.jpg
    result: the new PDF
    """
    from PIL import Image, ImageOps

    pages = []
    for each in _files(files):
        image = ImageOps.exif_transpose(Image.open(each)).convert("RGBA")
        page = Image.new("RGB", image.size, "white")
        page.paste(image, mask=image.getchannel("A"))
        pages.append(page)
    pages[0].save(_free(result), "PDF", save_all=True, append_images=pages[1:], resolution=100.0, quality=92)
    return f"{_counted(len(pages), 'page')} in {result}"
