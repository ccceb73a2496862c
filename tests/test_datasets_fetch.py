"""Fetching, from a server on this machine: downloaded, converted, compared, kept."""

import builtins
import gzip
import io
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mooe.datasets import (
    StreamError,
    archive,
    catalogue,
    open_stream,
    sources,
)
from mooe.streams.stream import sha256_of

pytest.importorskip("pooch")


@pytest.fixture
def server():
    """Serve what a dict holds, and count what was asked for."""
    pages, asked = {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", pages, asked
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def homes(tmp_path, monkeypatch):
    """Start without any data."""
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    for name in (
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def served(published, server, *bodies, text=None):
    """Return a data set whose files are served here, with the checksum of the text expected."""
    address, pages, _ = server
    files = []
    for (name, _), body in zip(published.files, bodies, strict=True):
        pages[f"/{name}"] = body
        files.append((name, f"{address}/{name}"))
    digest = None if text is None else sha256_of([text.encode()])
    return replace(published, files=tuple(files), sha256=digest)


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), body)
    return out.getvalue()


def text_at(path):
    import lzma

    with lzma.open(path, "rt") as file:
        return file.read()


ARFF = """@relation electricity
@attribute date numeric
@attribute day {1,2}
@attribute class {UP,DOWN}
@data
0,2,UP
0.5,1,DOWN
"""
CSV = "date,day,class\n0,2,UP\n0.5,1,DOWN\n"


def test_a_stream_is_fetched_converted_compared_and_kept(server, homes, monkeypatch):
    data = served(sources.ELECTRICITY, server, ARFF.encode(), text=CSV)
    monkeypatch.setattr(sources, "ELECTRICITY", data)
    monkeypatch.setitem(catalogue.NAMED, "Electricity", (sources.electricity, data))
    stream = open_stream("Electricity")
    assert stream.load().X.tolist() == [[0.0, 2.0], [0.5, 1.0]]
    assert stream.sha256 == sha256_of([CSV.encode()])
    path = homes / "cache" / "data" / "Electricity.csv.xz"
    assert text_at(path) == CSV
    assert catalogue.verify("Electricity").ok
    open_stream("Electricity")
    assert server[2] == ["/electricity.arff"]  # asked once
    assert not list((homes / "cache" / "downloads").iterdir())


def test_a_wrong_checksum_is_told_and_the_text_kept_apart(server, homes):
    data = served(sources.ELECTRICITY, server, ARFF.encode(), text="other")
    with pytest.raises(StreamError, match=r"sha256 of Electricity as fetched must be .*unverified"):
        archive.fetch_published(data)
    kept = homes / "cache" / "data" / "Electricity.unverified.csv.xz"
    assert open_stream(kept, label="class").load().y.tolist() == ["UP", "DOWN"]
    assert not (homes / "cache" / "data" / "Electricity.csv.xz").exists()


def test_a_file_that_is_gone(server):
    data = served(sources.ELECTRICITY, server, ARFF.encode())
    server[1].clear()
    with pytest.raises(StreamError, match=r"must be fetched from .*, got 'HTTP 404'; .* put elec"):
        archive.fetch_published(data)


def test_no_network(server):
    data = replace(sources.ELECTRICITY, files=(("electricity.arff", "http://127.0.0.1:9/e.arff"),))
    with pytest.raises(StreamError, match=r"got 'ConnectionError'; offline\? else put electricity"):
        archive.fetch_published(data)


def test_no_pooch(monkeypatch):
    found = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pooch":
            raise ImportError(name)
        return found(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StreamError, match=r"pip install 'mooe\[data\]', or put electricity.arff"):
        sources.electricity()


def test_a_file_put_there_by_hand_is_not_fetched(homes):
    (homes / "data").mkdir()
    (homes / "data" / "electricity.arff").write_text(ARFF)
    data = replace(sources.ELECTRICITY, sha256=None)
    assert text_at(archive.fetch_published(data)) == CSV
    assert (homes / "data" / "electricity.arff").exists()


@pytest.mark.parametrize("body", [b"<html>moved</html>", b""])
def test_what_is_not_the_published_layout_is_told(server, homes, body):
    for published in (sources.ELECTRICITY, sources.COVERTYPE, sources.IJCNN1):
        with pytest.raises(StreamError, match=r"must (have the layout published at|be) "):
            archive.fetch_published(served(published, server, body, text="something"))
    assert not list((homes / "cache" / "downloads").iterdir())


def test_a_progress_bar_is_shown_on_request(server, capsys):
    data = served(sources.ELECTRICITY, server, ARFF.encode(), text=CSV)
    archive.fetch_published(data, progress=True)
    shown = capsys.readouterr()
    assert "electricity.arff" in shown.err
    assert shown.out == ""


def test_covertype_is_taken_from_its_archive(server):
    row = ",".join(map(str, range(55)))
    body = zipped(covtype_dot_data_dot_gz=gzip.compress(f"{row}\n{row}\n".encode()))
    text = text_at(archive.fetch_published(served(sources.COVERTYPE, server, body)))
    assert text.splitlines()[0].startswith("Elevation,Aspect")
    assert text.splitlines()[1:] == [row, row]


def test_eight_or_ten_batches_are_taken_from_the_archive(server):
    cells = " ".join(f"{j}:{j}.500000" for j in range(1, 129))
    batches = {f"Dataset__batch{n}_dot_dat": f"{n % 6 + 1} {cells} \n" for n in range(1, 11)}
    body = zipped(**batches)
    for published, labels in [
        (sources.GAS_SENSOR, "23456134"),
        (sources.GAS_SENSOR_10, "2345612345"),
    ]:
        text = text_at(archive.fetch_published(served(published, server, body)))
        first, *rows = text.splitlines()
        assert first.startswith("f1,f2,")
        assert rows[0].startswith("1.500000,2.500000,")
        assert "".join(row[-1] for row in rows) == labels


def test_weather_is_joined_with_its_labels(server):
    body = zipped(
        weather_data__NEweather_data_dot_csv="1,2,3,4,5,6,7,8.5\r\n8,7,6,5,4,3,2,1\r\n",
        weather_data__NEweather_class_dot_csv="1\r\n2\r\n",
    )
    text = text_at(archive.fetch_published(served(sources.WEATHER, server, body)))
    assert text.splitlines()[1:] == ["1,2,3,4,5,6,7,8.5,0", "8,7,6,5,4,3,2,1,1"]


def test_libsvm_files_become_tables(server):
    import bz2

    body = bz2.compress(b"-1.0 6:1 11:-0.731854 13:0.0\n1.0 22:5\n")
    text = text_at(archive.fetch_published(served(sources.IJCNN1, server, body)))
    zeros = ["0"] * 22
    first = [*zeros[:5], "1", *zeros[:4], "-0.731854", "0", "0.0", *zeros[:9], "-1.0"]
    assert text.splitlines()[1:] == [",".join(first), ",".join([*zeros[:21], "5", "1.0"])]
    body = b"-1 1:-766 2:128\n1 8:0.5\n"
    text = text_at(archive.fetch_published(served(sources.COD_RNA, server, body)))
    assert text.splitlines()[1:] == ["-766,128,0,0,0,0,0,0,0", "0,0,0,0,0,0,0,0.5,1"]


def test_kitsune_is_joined_from_two_files(server):
    rows = gzip.compress(((",".join("1" * 115) + "\n") * 2).encode())
    data = served(sources.KITSUNE, server, rows, gzip.compress(b"0\n1\n"))
    text = text_at(archive.fetch_published(data))
    assert [line[-2:] for line in text.splitlines()[1:]] == [",0", ",1"]


@pytest.mark.parametrize("entry", catalogue.NAMED.values(), ids=catalogue.NAMED)
def test_without_data_every_stream_says_what_to_do(entry, monkeypatch):
    function, data = entry
    offline = archive._raw_file

    def nowhere(published, name, url, progress):
        return offline(published, name, url and "http://127.0.0.1:9/file", progress)

    monkeypatch.setattr(archive, "_raw_file", nowhere)
    with pytest.raises(StreamError, match="MOOE_DATA_HOME") as caught:
        function()
    assert data.page in str(caught.value)
