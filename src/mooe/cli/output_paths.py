"""Files that a command writes: none of them may be one that it reads, or another that it writes."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from mooe.cli.app import check_file, check_folder, usage
from mooe.cli.options import is_table

Named = tuple[str, Path]  # what a file is called in an error, and its path


def source_files(source: str) -> list[Named]:
    """Return the files that a stream may be read from."""
    if source == "-":
        return [("standard input", Path("/dev/stdin"))]
    if is_table(source):
        return [(f"the source {source}", Path(source).expanduser())]
    return published_files()


def published_files() -> list[Named]:
    """Return the files of all published streams that are on this machine."""
    from mooe.datasets.archive import locate
    from mooe.datasets.catalogue import NAMED

    paths = [locate(data.file_name) for _, data in NAMED.values()]
    return [(f"the published {path.name}", path) for path in paths if path is not None]


def check_outputs(
    inputs: Iterable[Named], outputs: Iterable[tuple[str, Path | None]], report: Path | None = None
) -> None:
    """Stop with exit code 2 where writing would destroy what is read, or what is written too.

    Outputs are named by their options. `report` is a folder that files of `mooe.report.FILES` are
    written into; links there are replaced, not followed.
    """
    kept = list(inputs)
    for option, path in outputs:
        if path is not None:
            for what, other in kept:
                refuse_loss(option, path, what, _is_same(path, other))
            kept.append((f"what {option} writes", path))
    if report is not None:
        from mooe.report import FILES

        for what, other in kept:
            inside = any(_is_same(report / name, other, follow=False) for name in FILES)
            refuse_loss("--report", report, what, inside or _is_same(report, other))


def check_places(report: Path | None, *files: tuple[str, Path | None]) -> None:
    """Stop before the first row where a report, or a file by what it is, cannot be written."""
    if report is not None:
        check_folder("the report", report)
    for what, path in files:
        if path is not None:
            check_file(what, path)


def refuse_loss(option: str, path: Path, what: str, is_lost: bool) -> None:
    """Stop with exit code 2 if something would be lost to an output."""
    if is_lost:
        usage(option, f"must not write over {what}, which would be lost, got {str(path)!r}")


def _is_same(written: Path, other: Path, follow: bool = True) -> bool:
    """Whether two paths are one file, also through links; `follow`: whether what is written is.

    Devices and pipes, such as /dev/null, have nothing to lose.
    """
    try:
        status = written.stat(follow_symlinks=follow)
        target, link = other.stat(), other.lstat()
    except OSError:  # one of them is not there yet
        return os.path.realpath(written) == os.path.realpath(other)
    can_lose = any(kind(status.st_mode) for kind in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK))
    return can_lose and (os.path.samestat(status, target) or os.path.samestat(status, link))
