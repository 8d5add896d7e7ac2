"""Makes pictures that only Pillow can make, and compares the results with what Pillow makes of the same files.

    pillow.py make UPLOADS
    pillow.py compare UPLOADS RESULTS
    pillow.py differences UPLOADS RESULTS

The last command prints a line for each upload, in the order of their names: that Pillow rejects it, or the mean
difference of the result from what Pillow makes of it, or "shown" if there is no result.
"""

import io
import sys
from pathlib import Path

from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat

# The results are JPEGs of the quality 80, and the filters differ a little.
MAX_DIFFERENCE = 4


def make(uploads):
    x, y = Image.linear_gradient("L").resize((1801, 1203)), Image.radial_gradient("L").resize((1801, 1203))
    photo = Image.merge("RGB", (x, y, ImageChops.invert(x)))
    for subsampling in range(3):
        for progressive in (False, True):
            name = f"{subsampling}-{progressive}.jpg"
            photo.save(uploads / name, quality=95, subsampling=subsampling, progressive=progressive)
    photo.convert("CMYK").save(uploads / "cmyk.jpg", quality=95)
    photo.convert("L").save(uploads / "gray.jpg", quality=95)
    photo.save(uploads / "lossy.webp", quality=90)
    photo.save(uploads / "lossless.webp", lossless=True)
    transparent = photo.copy()
    transparent.putalpha(y)
    for lossless in (False, True):
        transparent.save(uploads / f"transparent-{lossless}.webp", lossless=lossless, quality=90)
    transparent.save(uploads / "transparent.png")
    photo.quantize(64).save(uploads / "palette.png")
    x.convert("I;16").save(uploads / "sixteen.png")
    photo.convert("1", dither=Image.Dither.NONE).save(uploads / "bits.png")
    photo.save(uploads / "animated.webp", save_all=True, append_images=[photo.rotate(180)], quality=90)
    photo.save(uploads / "animated.png", save_all=True, append_images=[photo.rotate(180)])
    exif = Image.Exif()
    exif[0x0112] = 6
    exif.get_ifd(0x8825)[1] = "N"
    for name in ("turned.jpg", "turned.png", "turned.webp"):
        photo.save(uploads / name, exif=exif.tobytes(), quality=95)


def expected(path, width):
    photo = Image.open(path)
    try:
        photo = ImageOps.exif_transpose(photo)
    except SyntaxError:
        pass  # The metadata is broken, and the picture is shown as stored.
    profile = photo.info.get("icc_profile")
    if photo.mode in ("I", "I;16"):
        photo = photo.point(lambda value: value / 256).convert("L")
    if photo.mode in ("P", "RGBA", "LA"):
        photo = photo.convert("RGBA")
        white = Image.new("RGBA", photo.size, "white")
        photo = Image.alpha_composite(white, photo)
    photo = photo.convert("RGB")
    if profile:
        try:
            photo = ImageCms.profileToProfile(photo, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
        except (OSError, ImageCms.PyCMSError):
            pass  # The profile is broken, and ignored.
    # The smaller sizes are made of the largest.
    for step in (1600, width):
        if photo.width > step:
            photo = photo.resize((step, int(photo.height * step / photo.width + 0.5)), Image.Resampling.LANCZOS)
    return photo


def compare(uploads, results):
    for path in sorted(results.iterdir()):
        upload, size, _ = path.name.rsplit(".", 2)
        result = Image.open(path)
        assert result.format == "JPEG" and result.mode == "RGB", path
        assert not result.getexif(), path
        assert result.applist == [("APP0", result.app["APP0"])], (path, [name for name, _ in result.applist])
        assert set(result.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}, (path, result.info)
        wanted = expected(uploads / upload, {"large": 1600, "medium": 800, "small": 440}[size])
        assert result.size == wanted.size, (path, result.size, wanted.size)
        differences = ImageStat.Stat(ImageChops.difference(result, wanted)).mean
        assert max(differences) < MAX_DIFFERENCE, (path, differences)
    print(f"{len(list(results.iterdir()))} results are right")


def differences(uploads, results):
    for path in sorted(uploads.iterdir()):
        try:
            wanted = expected(path, 1600)
            # The results have lost what a JPEG loses.
            encoded = io.BytesIO()
            wanted.save(encoded, "JPEG", quality=80, subsampling=2)
            wanted = Image.open(encoded)
        except Exception:
            print(path.name, "rejected")
            continue
        result = results / path.name
        if not result.exists():
            print(path.name, "shown")
            continue
        result = Image.open(result)
        if result.size != wanted.size:
            print(path.name, "inf")
            continue
        print(path.name, max(ImageStat.Stat(ImageChops.difference(result, wanted)).mean))


if __name__ == "__main__":
    {"make": make, "compare": compare, "differences": differences}[sys.argv[1]](*map(Path, sys.argv[2:]))
