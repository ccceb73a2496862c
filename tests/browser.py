"""Pages in a real browser: headless Chromium, spoken to over a pipe, for tests.

Debian's Chromium is installed where it is missing and we are root; elsewhere a test is skipped.
"""

import base64
import functools
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--remote-debugging-pipe",
)

# What is too small or cut: text by its rendered size, boxes by what sticks out of them.
MEASURE = """(() => {
  const shown = node => {
    for (let at = node; at instanceof Element; at = at.parentElement)
      if (getComputedStyle(at).display === 'none') return false;
    return true;
  };
  const words = node => [...node.childNodes]
    .filter(child => child.nodeType === 3).map(child => child.data.trim()).join('');
  const letters = [], cut = [], page = document.documentElement.clientWidth;
  for (const node of document.querySelectorAll('body *')) {
    if (!words(node) || !shown(node)) continue;
    const drawing = node.closest('svg');
    const scale = drawing ? drawing.getScreenCTM().a : 1;
    letters.push([parseFloat(getComputedStyle(node).fontSize) * scale, words(node)]);
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = drawing ? node.getBoundingClientRect() : range.getBoundingClientRect();
    if (drawing) {
      const frame = drawing.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 1 || box.bottom > frame.bottom + 1) cut.push(words(node));
    } else if (!node.closest('.wide') && (box.left < 0 || box.right > page + 1))
      cut.push(words(node));
  }
  letters.sort((a, b) => a[0] - b[0]);
  return {smallest: letters[0], cut, figures: document.querySelectorAll('figure').length,
    hints: [...document.querySelectorAll('.hint')].filter(shown).length,
    drawings: [...document.querySelectorAll('figure svg')].filter(shown).length,
    width: document.documentElement.scrollWidth};
})()"""


@functools.cache
def chromium():
    """Return the path of a browser, or skip the test with the reason."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        install = [
            "apt-get",
            "-o",
            "DPkg::Lock::Timeout=300",
            "install",
            "-y",
            "-qq",
            "--no-install-recommends",
            "chromium",
        ]
        for command in (["apt-get", "update", "-qq"], install):
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(command, check=False, capture_output=True, timeout=600, env=quiet)
        found = shutil.which("chromium")
    if found is None:
        pytest.skip("no chromium is installed, and apt could not install it")
    return found


@contextmanager
def browser():
    """Yield a function that sends a command of the DevTools protocol to a page of a browser."""
    path = chromium()
    (read_there, write_here), (read_here, write_there) = os.pipe(), os.pipe()

    def hand_over():
        os.dup2(read_there, 13)
        os.dup2(write_there, 14)
        os.dup2(13, 3)
        os.dup2(14, 4)

    # Helpers of the browser may write there after it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [path, *SWITCHES, f"--user-data-dir={profile}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=hand_over,
        )
        os.close(read_there)
        os.close(write_there)
        with os.fdopen(read_here, "rb") as answers, os.fdopen(write_here, "wb") as commands:
            try:
                yield _page(commands, answers)
            finally:
                process.kill()
                process.wait()


def _page(commands, answers):
    """Return the function that speaks to a new page; its `events` are all that the page told."""
    counter, waiting, session = iter(range(1, 10**9)), bytearray(), None
    events = []

    def message():
        while b"\0" not in waiting:
            piece = answers.read1(65536)
            assert piece, "the browser has gone"
            waiting.extend(piece)
        text, _, rest = bytes(waiting).partition(b"\0")
        waiting[:] = rest
        return json.loads(text)

    def tell(method, until=None, **params):
        number = next(counter)
        sent = {"id": number, "method": method, "params": params}
        sent |= {} if session is None else {"sessionId": session}
        commands.write(json.dumps(sent).encode() + b"\0")
        commands.flush()
        result, reached = None, until is None
        while result is None or not reached:
            said = message()
            if "method" in said:
                events.append(said)
            reached = reached or said.get("method") == until
            if said.get("id") == number:
                assert "error" not in said, said
                result = said["result"]
        return result

    target = tell("Target.createTarget", url="about:blank")["targetId"]
    session = tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    tell("Page.enable")
    tell.events = events
    return tell


def set_screen(tell, width, scheme):
    """Give the page a width and a colour scheme."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    tell("Emulation.setDeviceMetricsOverride", **size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    tell("Emulation.setEmulatedMedia", features=[feature])


def look(tell, page, width, scheme, picture=None):
    """Return what MEASURE finds on a page at a width in a colour scheme; `picture` is a PNG."""
    set_screen(tell, width, scheme)
    tell("Page.navigate", until="Page.loadEventFired", url=page.as_uri())
    found = evaluate(tell, MEASURE)
    if picture is not None:
        shoot(tell, picture)
    return found


def evaluate(tell, script):
    """Return the value of a script on the page; of a promise, what it is fulfilled with."""
    told = tell("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
    assert "exceptionDetails" not in told, told["exceptionDetails"]
    return told["result"].get("value")


def wait_for(tell, condition, seconds=30):
    """Return the value of an expression on the page once it is true, or fail with the page."""
    script = f"""new Promise((resolve, reject) => {{
      const end = Date.now() + {1000 * seconds};
      const ask = () => {{
        const found = {condition};
        if (found) resolve(found);
        else if (Date.now() > end) resolve({{failed: document.body.innerText}});
        else setTimeout(ask, 50);
      }};
      ask();
    }})"""
    found = evaluate(tell, script)
    assert not (isinstance(found, dict) and "failed" in found), f"{condition}: {found['failed']}"
    return found


def shoot(tell, picture):
    """Write the whole page as a PNG."""
    shot = tell("Page.captureScreenshot", captureBeyondViewport=True, **_whole(tell))
    picture.write_bytes(base64.b64decode(shot["data"]))


def _whole(tell):
    """Return the part of a screenshot: the whole page."""
    size = tell("Page.getLayoutMetrics")["cssContentSize"]
    return {"clip": {**{k: size[k] for k in ("x", "y", "width", "height")}, "scale": 1}}
