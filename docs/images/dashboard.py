"""Makes the pictures of the live page in docs/server.md anew: a desk and a phone.

    .venv/bin/python docs/images/dashboard.py

needs the extra `server` and Debian's chromium.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent

sys.path.insert(0, str(HERE.parents[1] / "tests"))

from browser import browser, evaluate, set_screen, shoot, wait_for  # noqa: E402
from server import story  # noqa: E402
from server.test_dashboard import Served  # noqa: E402

ROWS = 16 * story.VISIT + story.VISIT // 2
DAYS = 80.0
SCREENS = {  # width, scheme, height; 0: the whole page
    "dashboard.png": (1280, "light", 1120),
    "dashboard-phone.png": (390, "dark", 1480),
}
ALL = {f"whole-{width}-{s}.png": (width, s, 0) for width in (1280, 390) for s in ("light", "dark")}
COLOURS = 256  # of a picture, which is small so


def make_small(picture: Path, height: int) -> None:
    """Cut a picture at a height, and leave it few colours."""
    with Image.open(picture) as whole:
        cut = whole.crop((0, 0, whole.width, height or whole.height)).convert("RGB")
    cut.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)


def main(folder: Path = HERE) -> None:
    """Make the pictures of the documents; in another folder whole ones, to look at."""
    screens = SCREENS if folder == HERE else ALL
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "store"
        story.tell(place, ROWS, DAYS)
        served = Served(place, at=ROWS)
        try:
            with browser() as tell:
                tell("Page.navigate", until="Page.loadEventFired", url=served.url)
                for _ in range(8):
                    served.go_on(60)
                    wait_for(tell, f"document.body.textContent.includes('{served.learnt:,}')")
                for name, (width, scheme, height) in screens.items():
                    set_screen(tell, width, scheme)
                    evaluate(tell, "document.getElementById('latest').click()")
                    wait_for(tell, "document.querySelector('#reply .first')")
                    evaluate(tell, "new Promise(done => setTimeout(done, 300))")
                    shoot(tell, folder / name)
                    make_small(folder / name, height)
        finally:
            served.stop()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
