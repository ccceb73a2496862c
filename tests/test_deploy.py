"""What is there to run a server with: a systemd unit, a Dockerfile, a Grafana dashboard.

The Dockerfile is only read: no container is built here.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from mooe.platform import Platform

pytest.importorskip("starlette")
pytest.importorskip("prometheus_client")

import typer

from mooe.cli import app
from mooe.server.metrics import Metrics
from mooe.server.routes import OPERATIONS

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "mooe.service"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
INSTRUCTIONS = {
    *("FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "ENV", "EXPOSE", "STOPSIGNAL"),
    *("HEALTHCHECK", "ENTRYPOINT", "CMD"),
}


def serve_options():
    """Return the options and environment variables of mooe serve."""
    command = typer.main.get_command(app).commands["serve"]
    options = {option for each in command.params for option in each.opts}
    return options, {each.envvar for each in command.params if each.envvar}


def environment_in(text):
    """Return the variables of ours that a file sets or names."""
    return set(re.findall(r"\b(MOOE_[A-Z]+)=", text))


def test_the_unit_starts_the_server_with_options_that_exist():
    text = UNIT.read_text()
    options, variables = serve_options()
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    program, command, *rest = shlex.split(line)
    assert (Path(program).name, command) == ("mooe", "serve")
    assert {word for word in rest if word.startswith("--")} <= options
    assert environment_in(text) - {"MOOE_TOKEN"} <= variables


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    text = UNIT.read_text().replace("/opt/mooe/bin/mooe", sys.executable)
    (tmp_path / "mooe.service").write_text(text)
    command = [program, "verify", "--man=no", tmp_path / "mooe.service"]
    done = subprocess.run(command, capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if "mooe.service" in line]
    assert ours == []


def instructions():
    """Return (instruction, rest) of the Dockerfile, lines joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def test_the_dockerfile_says_that_it_was_not_run():
    assert "Not run" in DOCKERFILE.read_text().partition("\nFROM")[0]


def test_the_dockerfile_copies_what_is_there_and_starts_the_server():
    steps = instructions()
    assert {name for name, _ in steps} <= INSTRUCTIONS
    for _, rest in [step for step in steps if step[0] == "COPY" and "--from" not in step[1]]:
        *paths, _ = rest.split()
        assert [path for path in paths if not (ROOT / path).exists()] == []
    last = dict(steps)
    assert json.loads(last["ENTRYPOINT"]) + json.loads(last["CMD"]) == ["mooe", "serve"]
    assert last["USER"] == "mooe", "a server is not run as root"
    _, variables = serve_options()
    assert environment_in(DOCKERFILE.read_text()) - {"MOOE_TOKEN"} <= variables
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for named in re.findall(r"'\.\[(.*?)\]'", DOCKERFILE.read_text()):
        assert set(named.split(",")) <= set(extras)


def test_the_health_of_the_container_is_asked_without_a_token():
    (path,) = re.findall(r"http://127.0.0.1:8080(/[\w/]+)", DOCKERFILE.read_text())
    (route,) = [each for each in OPERATIONS if each.path == path]
    assert (route.method, route.is_open) == ("GET", True)


class Read:
    """A consumer that has read something."""

    counts, lag = Counter(learned=3), {"outcomes": 5}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Return the metrics of a server that has been asked everything, with their labels."""
    with Platform(tmp_path_factory.mktemp("metrics") / "store") as platform:
        platform.create("m")
        for i in range(3):
            answer = platform.predict("m", {"a": i})
            platform.feedback("m", answer.id, i % 2)
        platform.save_snapshot("m")
        metrics = Metrics(platform, Read())
        metrics.predictions["m"] += 1
        metrics.feedback["m", "learned"] += 1
        metrics.requests["/metrics", 200] += 1
        metrics.seconds.add("/metrics", 0.1)
        metrics.delays.add("m", 1.0)
        text = metrics.text().decode()
    found = {}
    for name, labels in re.findall(r"^(mooe_\w+)(?:\{(.*)\})? ", text, re.M):
        found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def queries(value):
    """Yield every query of a dashboard, with what its lines are called."""
    if isinstance(value, dict):
        for key in ("expr", "definition"):
            if key in value:
                yield value[key], value.get("legendFormat", value.get("titleFormat", ""))
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from queries(each)


def test_every_metric_that_the_dashboard_names_is_exported(exported):
    asked = list(queries(json.loads((ROOT / "grafana" / "dashboard.json").read_text())))
    assert len(asked) > 10
    for query, legend in asked:
        names = set(re.findall(r"\bmooe_\w+", query))
        assert names, f"{query} asks for nothing of ours"
        assert names <= exported.keys(), f"{names - exported.keys()} in {query} is not exported"
        labels = set().union(*(exported[name] for name in names))
        by = set(re.findall(r"\w+", " ".join(re.findall(r"by \((.*?)\)", query))))
        by |= set(re.findall(r"(\w+)=~", query)) | set(re.findall(r"\{\{(\w+)\}\}", legend))
        assert by <= labels, f"{by - labels} in {query} is no label of it"


def test_every_metric_that_is_exported_is_on_the_dashboard(exported):
    text = (ROOT / "grafana" / "dashboard.json").read_text()
    parts = ("_sum", "_count", "_created")
    assert [name for name in exported if not name.endswith(parts) and name not in text] == []


def test_panels_have_ids_of_their_own_and_do_not_overlap():
    panels = json.loads((ROOT / "grafana" / "dashboard.json").read_text())["panels"]
    assert len({each["id"] for each in panels}) == len(panels)
    cells = Counter()
    for each in panels:
        place = each["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                cells[x, y] += 1
    assert max(cells.values()) == 1
