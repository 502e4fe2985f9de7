"""Pictures from files, scaled for prompts."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

from deskcrew.environments.ocr import MAX_PIXELS
from deskcrew.errors import ActionError

FORMATS = {
    ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".bmp": "BMP", ".webp": "WEBP", ".tif": "TIFF",
    ".tiff": "TIFF",
}  # fmt: skip
"""The pictures that are decoded, by suffix; Pillow knows many more, and some of those start programs."""
DECODED = tuple(dict.fromkeys(FORMATS.values()))
LONGEST_SIDE = 1280
"""The longest side in pixels to which larger pictures are scaled down."""


def scaled_down(data: bytes) -> bytes:
    """A picture as PNG, upright and no larger than prompts may contain. Raises ActionError for data that is not a
    picture."""
    try:
        with Image.open(io.BytesIO(data), formats=DECODED) as source:
            if source.width * source.height > MAX_PIXELS:
                raise ActionError(f"It has more than {MAX_PIXELS // 1_000_000} million pixels.")
            upright = ImageOps.exif_transpose(source)
            picture = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ActionError("It is not a picture that can be read.") from error
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()
