"""The names of the package itself."""

import subprocess
import sys

import mooe


def test_packages_are_there_without_being_imported_by_name():
    code = "import mooe; print(mooe.evaluate.prequential.__name__, 'plots' in dir(mooe))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["prequential", "True"]


def test_every_public_name_is_there_and_no_other():
    for name in (*mooe.__all__, *mooe.PACKAGES):
        assert getattr(mooe, name) is not None
    assert not hasattr(mooe, "nobody")
