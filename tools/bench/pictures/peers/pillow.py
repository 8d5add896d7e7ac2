"""Makes both sizes of a picture with Pillow: pillow.py FILE ITERATIONS

Prints the wall and the CPU time of each iteration in microseconds, and then the peak memory in KB.
"""

import io
import resource
import sys
import time
from pathlib import Path

from PIL import Image, ImageOps


def encoded(image):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=80)
    return file.getvalue()


def process(upload):
    image = Image.open(io.BytesIO(upload))
    # Lets libjpeg decode at a half of the size.
    image.draft("RGB", (1600, 1600 * image.height // image.width))
    image = ImageOps.exif_transpose(image)
    large = image.resize((1600, round(image.height * 1600 / image.width)), Image.Resampling.LANCZOS)
    small = large.resize((320, round(large.height * 320 / large.width)), Image.Resampling.LANCZOS)
    return encoded(large), encoded(small)


upload = Path(sys.argv[1]).read_bytes()
for _ in range(int(sys.argv[2])):
    wall, cpu = time.perf_counter(), time.process_time()
    process(upload)
    print(round((time.perf_counter() - wall) * 1e6), round((time.process_time() - cpu) * 1e6))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
