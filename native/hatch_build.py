"""A wheel for one platform: the package, and its code compiled ahead of time.

Off unless HATCH_BUILD_HOOK_ENABLE_CUSTOM=true: a wheel for all platforms and a checkout compile
when they are first used.
"""

import platform
import re
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

OLDEST = (2, 17)  # the C library of the oldest tag that is still in use


class NativeCode(BuildHookInterface):
    """Puts the extension into the wheel, and says where that runs."""

    def initialize(self, version, build_data):
        """In place: compile, and tell hatchling what to add."""
        if version == "editable":
            return
        folder = Path(self.root, "build", "native")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, Path(__file__).with_name("build.py"), folder], check=True)
        extension = folder / "_native.abi3.so"
        build_data["force_include"][str(extension)] = f"mooe/numerics/{extension.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform_of(extension.read_bytes())}"


def platform_of(extension):
    """Return the tag of the systems that an extension runs on: those whose C library is as new."""
    needed = re.findall(rb"GLIBC_(\d+)\.(\d+)", extension)
    if not needed:  # another C library
        return next(platform_tags())
    major, minor = max([OLDEST, *((int(major), int(minor)) for major, minor in needed)])
    return f"manylinux_{major}_{minor}_{platform.machine()}"
