"""mooe data, as its users start it."""

import json

from command import inside, words


def test_the_list_of_streams_says_which_are_here(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "Weather.csv.xz").write_bytes(b"")
    done = inside("data", "list")
    assert done.exit_code == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert "not here" in lines["Usenet1"]
    assert "not here" not in lines["Weather"]
    assert "made from a seed" in lines["recurring"]
    assert lines["led"].split()[1:4] == ["-", "-", "10"]
    found = {one["name"]: one for one in json.loads(inside("data", "list", "--json").stdout)}
    assert found["Weather"]["path"] == str(tmp_path / "Weather.csv.xz")
    assert found["Usenet1"]["path"] is None
    assert found["Usenet1"]["licence"]
    assert "Breiman" in found["led"]["citation"]


def test_verify_tells_wrong_from_absent(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    import lzma

    (tmp_path / "Weather.csv.xz").write_bytes(lzma.compress(b"a,class\n1,2\n"))
    done = inside("data", "verify", "Weather", "Usenet1")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "Weather: sha256 must be fe1bb97d" in done.stderr
    assert "mooe data fetch Usenet1" in done.stderr
    done = inside("data", "verify", "Wether")
    assert done.exit_code == 2
    assert "nearest: Weather" in words(done.stderr)
    wrong = inside("run", "Weather")
    assert wrong.exit_code == 1
    assert "sha256 of Weather.csv.xz must be" in str(wrong.exception)


def test_fetch_says_what_has_to_be_got_by_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    done = inside("data", "fetch", "Usenet1")
    assert done.exit_code == 1
    assert "usenet1.arff" in done.stderr
    assert "failed: Usenet1" in done.stderr
