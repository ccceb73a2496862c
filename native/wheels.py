"""Build both wheels, install each into an empty environment, and compare what models learn there.

    python native/wheels.py   # writes dist/

One is for this platform, with code compiled ahead of time; the other is for all, and compiles.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
DIST = HERE.parent / "dist"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def built(folder, has_native):
    """Build a wheel into an empty folder, with compiled code or without; return where it is."""
    hook = {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true" if has_native else "false"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    with Path(HERE, "build.py").open() as one_at_a_time:  # they share what is compiled
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        subprocess.run(command, cwd=HERE.parent, env={**os.environ, **hook}, check=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def installed(wheel, folder):
    """Install a wheel into an empty environment in a folder; return its interpreter.

    What it depends on is found where this interpreter has it: nothing is fetched.
    """
    run = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], **run)
    python = Path(folder, "bin", "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "-q", wheel], **run)
    (packages,) = Path(folder).glob("lib/python*/site-packages")
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    Path(packages, "of_the_builder.pth").write_text("\n".join(others) + "\n")
    return python


def printed(python, *arguments, **environment):
    """Return what an interpreter prints, which sees the packages of its environment only."""
    env = {**os.environ, **dict.fromkeys(THREADS, "1"), **environment}
    command = [python, "-I", *arguments]
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def learnt(python, **environment):
    """Return what models learn with an interpreter, see learnt.py."""
    return json.loads(printed(python, HERE / "learnt.py", **environment))


def check(native, pure):
    """Raise an error unless the wheels do what they promise, and agree to the last bit."""
    if not native["native"] or native["numba"]:
        raise RuntimeError(f"the wheel must use its compiled code and leave numba alone: {native}")
    if pure["native"]:
        raise RuntimeError("the wheel for all platforms must have no compiled code")
    for name, expected in pure["hashes"].items():
        if native["hashes"][name] != expected:
            raise RuntimeError(f"both wheels must learn the same bits, but not so: {name}")


def main():
    wheels, found = [], []
    with tempfile.TemporaryDirectory() as place:
        for name, has_native in (("native", True), ("pure", False)):
            wheels.append(built(Path(place, name), has_native))
            found.append(learnt(installed(wheels[-1], Path(place, f"{name}-environment"))))
        check(*found)
        DIST.mkdir(exist_ok=True)
        for wheel in wheels:
            kept = shutil.copy(wheel, DIST)
            print(f"dist/{wheel.name}  {Path(kept).stat().st_size / 1e3:,.0f} kB")
    print(f"the same bits in {len(found[0]['hashes'])} models")


if __name__ == "__main__":
    main()
