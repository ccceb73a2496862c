"""The live page: what it is told, and what a real browser makes of it beside a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from browser import MEASURE, browser, chromium, evaluate, set_screen, wait_for

from mooe.client import Client, ServerError
from mooe.platform import Platform, Settings
from mooe.server import dashboard
from mooe.server.dashboard import Dashboard, History, quantile, sliding_means
from mooe.server.metrics import Metrics

from . import story
from .conftest import running

PAST = 4 * story.VISIT  # rows before the server starts: A, B, C and A again
AXE = Path(__file__).parent / "axe" / "axe.min.js"
HOSTILE = "<img src=x onerror=pwned=1>"
SENTENCE = "document.getElementById('sentence').textContent"
SERIOUS = {"serious", "critical"}


# What it is told


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return a platform with a past, and the dashboard on it."""
    place = tmp_path_factory.mktemp("dashboard") / "store"
    story.tell(place, PAST, 4.0)
    with Platform(place) as platform:
        yield platform, Dashboard(platform, Metrics(platform))


def test_the_window_and_the_duel_are_what_the_platform_compares(told):
    platform, page = told
    overview = page.overview("clicks", 300)
    scores = platform.compare("clicks", 300)
    assert overview.window.labels == 300
    assert overview.window.value == pytest.approx(scores["clicks"].accuracy)
    (duel,) = overview.shadows
    assert duel.name == "no-memory"
    assert duel.shadow == pytest.approx(scores["no-memory"].accuracy)
    assert duel.difference == pytest.approx(duel.shadow - duel.champion)
    assert duel.error > 0.0
    assert overview.recent.values["clicks"][-1] == pytest.approx(overview.window.value)
    assert overview.recent.seqs[-1] == overview.model.feedback


def test_regimes_have_the_rows_and_times_of_their_visits(told):
    platform, page = told
    overview = page.overview("clicks")
    (now,) = (regime for regime in overview.regimes if regime.in_charge)
    assert now.number == platform.regime("clicks").name
    assert len(now.visits) >= 2
    for regime in overview.regimes:
        for visit in regime.visits:
            assert visit.first <= visit.last
            assert visit.begin <= visit.end <= overview.now
    before, latest = now.visits[-2:]
    share = overview.model.feedback / PAST
    assert before.last == pytest.approx(1 * story.VISIT * share, abs=90)
    assert latest.first == pytest.approx(3 * story.VISIT * share, abs=90)
    assert latest.begin - before.end == pytest.approx(2 * 86400.0, rel=0.2)


def test_experts_have_weights_and_ages(told):
    _, page = told
    overview = page.overview("clicks")
    assert sum(expert.weight for expert in overview.experts) == pytest.approx(1.0)
    ages = {expert.name: overview.now - expert.since for expert in overview.experts}
    assert ages["adagrad"] == pytest.approx(4 * 86400.0, rel=0.01)
    memory = next(expert for expert in overview.experts if expert.kind == "memory")
    assert 0 < memory.labels < overview.model.feedback


def test_waiting_labels_are_counted_by_what_became_of_them(told):
    platform, page = told
    waiting = page.overview("clicks").waiting
    assert waiting.pending == platform.n_pending("clicks") > 0
    assert waiting.expired > waiting.pending > waiting.defaulted == 0
    assert time.time() - waiting.oldest < 86400.0 + 600.0


def test_the_page_knows_the_past_after_a_restart_and_reads_each_label_once(told, monkeypatch):
    platform, page = told
    before = page.overview("clicks")
    again = Dashboard(platform, Metrics(platform))
    asked = []
    outcomes = platform.outcomes

    def noted(name, after, until):
        asked.append((after, until))
        return outcomes(name, after, until)

    monkeypatch.setattr(platform, "outcomes", noted)
    after = again.overview("clicks")
    assert (after.recent, after.long, after.window) == (before.recent, before.long, before.window)
    n = len(asked)
    assert n > 2
    again.overview("clicks", 100)  # another window: nothing is read again
    assert len(asked) == n


def test_what_was_rolled_back_is_drawn_no_longer(tmp_path, monkeypatch):
    monkeypatch.setattr(dashboard, "SAME", 0.0)
    with Platform(tmp_path / "store") as platform:
        page = Dashboard(platform, Metrics(platform))
        platform.create("m")
        noise = np.random.default_rng(0).integers(2, size=300)
        for at in range(300):
            answer = platform.predict("m", {"a": at % 2})
            platform.feedback(
                "m", answer.id, "no" if (noise[at] if at >= 200 else at % 2) else "yes"
            )
        poisoned = page.overview("m", 50)
        assert poisoned.long.seqs == [100, 200, 300]
        platform.restore("m", 200)
        sound = page.overview("m", 50)
        assert sound.window.value > 0.9 > poisoned.window.value
        assert sound.window.value == platform.compare("m", 50)["m"].accuracy
        assert (sound.recent.seqs[-1], sound.long.seqs) == (200, [100, 200])
        platform.restore("m", 0)
        assert page.overview("m", 50).window.labels == 0


def test_the_long_view_thins_itself_out_and_stays_the_mean_of_whole_points(told, monkeypatch):
    platform, _ = told
    monkeypatch.setattr(dashboard, "MOST_POINTS", 6)
    step_by_step, at_once = History(), History()
    for head in (450, 900, 1900):
        step_by_step.read(platform, "clicks", head)
    at_once.read(platform, "clicks", 1900)
    lines = step_by_step.long.lines()
    assert lines == at_once.long.lines()
    assert step_by_step.long.width == 400
    assert len(lines.seqs) == 5
    marks = [mark for *_, mark in platform.outcomes("clicks", 800, 900)["clicks"]]
    assert lines.values["clicks"][2] == pytest.approx(np.mean(marks))


def test_sliding_means_are_those_of_the_values_before_each_end():
    values = np.random.default_rng(0).random(100)
    means = sliding_means(values, np.array([19, 20, 60, 100]), 30)
    assert means[0] is None
    assert means[1:] == pytest.approx(
        [values[:20].mean(), values[30:60].mean(), values[70:].mean()]
    )


def test_quantiles_lie_between_the_edges_of_their_counts():
    edges = np.array([0.001, 0.01, np.inf])
    assert quantile(edges, np.array([0.0, 0.0, 0.0]), 0.5) is None
    assert quantile(edges, np.array([4.0, 0.0, 0.0]), 0.5) == pytest.approx(0.0005)
    assert quantile(edges, np.array([1.0, 9.0, 0.0]), 0.99) == pytest.approx(0.0099)
    assert quantile(edges, np.array([0.0, 0.0, 5.0]), 0.99) == 0.01


def test_a_shadow_has_no_page_of_its_own_and_one_in_quarantine_is_shown(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m", settings=Settings())
        platform.create("s", shadow_of="m")
        page = Dashboard(platform, Metrics(platform))
        with pytest.raises(ValueError, match="a shadow of 'm'"):
            page.overview("s")
        assert page.overview("m").window.value is None
        platform.predict("m", {"a": 1.0}, "id")
        platform._models.open("m").problem = "row 1 could not be learnt"
        assert page.overview("m", 100).model.problem == "row 1 could not be learnt"


def test_the_paper_s_model_and_a_regression_have_a_page(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("paper", params={"mode": "paper", "interval": 20})
        platform.create("price", task="regression")
        page = Dashboard(platform, Metrics(platform))
        for at in range(90):
            for name in ("paper", "price"):
                answer = platform.predict(name, [at % 7.0, 0.5])
                label = float(at % 7) if name == "price" else at % 7 > 3
                platform.feedback(name, answer.id, label)
        paper, price = page.overview("paper"), page.overview("price")
        offline = [each for each in paper.experts if each.kind == "offline"]
        assert offline[0].fitted == (0, 19)
        assert offline[0].labels == 70
        assert price.window.value == pytest.approx(platform.compare("price")["price"].mae)
        assert price.columns == 2
        given = page.last_input("price")
        assert (given.columns, given.x) == ([0, 1], [89 % 7, 0.5])


def test_the_page_needs_nothing_but_itself():
    text, policy = dashboard.page()
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", text)
    assert "innerHTML" not in (dashboard.PARTS / "dashboard.js").read_text("utf-8")
    assert (dashboard.PARTS / "uPlot.LICENSE").read_text("utf-8").startswith("The MIT License")
    assert "unsafe" not in policy
    (script,) = re.findall("<script>(.*)</script>", text, re.DOTALL)
    assert dashboard._digest(script) in policy


# A real browser beside a real server


class Served:
    """A server process with a past, and the stream that goes on."""

    def __init__(self, place, at=PAST):
        environment = {**os.environ, "MOOE_TOKEN": ""}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mooe", "serve", "--store", str(place), "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for line in self.process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                break
        self.url = found[0]
        self.client = Client(self.url, retries=60)
        self.client.request("GET", "/v2/health/ready")
        self.at = at

    @property
    def learnt(self):
        """How many labels the model has learnt."""
        return self.client.request("GET", "/v1/models/clicks")["feedback"]

    def go_on(self, n, name="clicks"):
        """Feed the next rows of the stream, and their labels."""
        X, labels = story.rows(self.at + n)
        for first in range(self.at, self.at + n, 10):
            answers = self.client.predict_many(name, X[first : first + 10])
            ids = [answer.id for answer in answers]
            self.client.feedback_many(name, ids, labels[first : first + 10])
        self.at += n

    def stop(self):
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stderr.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    chromium()
    place = tmp_path_factory.mktemp("served") / "store"
    story.tell(place, PAST, 4.0)
    hostile = {"columns": ("__proto__", "constructor", HOSTILE), "labels": (HOSTILE, "</script>")}
    story.tell(place, 200, 1.0, name="constructor", shadow=None, ago=3600.0, **hostile)
    served = Served(place)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def tell(served):
    with browser() as tell:
        for domain in ("Runtime", "Log", "Network"):
            tell(f"{domain}.enable")
        yield tell


@pytest.fixture
def page(tell, served):
    """Open the page anew; at the end nothing was wrong and nothing went elsewhere."""
    tell.events.clear()
    tell("Page.setBypassCSP", enabled=False)
    set_screen(tell, 1280, "light")
    opened(tell, served.url)
    yield tell
    assert_all_was_well(tell, served.url)


def opened(tell, url, name="clicks"):
    tell("Page.navigate", until="Page.loadEventFired", url="about:blank")
    tell("Page.navigate", until="Page.loadEventFired", url=f"{url}/#{name}")
    wait_for(tell, "!document.getElementById('state').hidden")


def is_of_what_is_gone(event):
    """Whether the browser says that what it asked for was a 404."""
    return event["method"] == "Log.entryAdded" and "404" in event["params"]["entry"]["text"]


def assert_all_was_well(tell, url):
    evaluate(tell, "1")  # all that was told before is heard
    kinds = {"Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"}
    wrong = [event for event in tell.events if event["method"] in kinds]
    assert wrong == []
    asked = {
        event["params"]["request"]["url"]
        for event in tell.events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert asked
    assert all(each.startswith((f"{url}/", "data:", "about:")) for each in asked), asked


def text_of(tell, name):
    return evaluate(tell, f"document.getElementById('{name}').textContent")


def test_the_sentence_says_what_is_going_on(page):
    said = text_of(page, "sentence")
    assert re.fullmatch(
        r"Regime 1 is back since .+, last seen (on|yesterday at|at) .+; "
        r"\d\d\.\d % right in the last 500 labels\.",
        said,
    ), said
    assert text_of(page, "status") == "live"
    assert evaluate(page, "document.title").endswith("regime 1 · clicks – mooe")
    for name in ("accuracy", "traffic"):
        wait_for(page, f"document.querySelector('#{name} canvas').width > 100")


def test_labels_and_a_returning_regime_are_seen_without_a_reload(page, served):
    evaluate(page, "window.isTheSame = true")
    before = served.learnt
    line = """[...document.querySelectorAll('#map .map li')].findIndex(
        line => line.querySelector('.visit.now'))"""
    assert evaluate(page, line) == 0
    visits = evaluate(page, "document.querySelectorAll('#map .visit').length")
    served.go_on(story.VISIT // 2)
    wait_for(page, "document.getElementById('sentence').textContent.startsWith('Regime 2 is back')")
    wait_for(page, f"{line} === 1")
    assert evaluate(page, "document.querySelectorAll('#map .visit').length") > visits
    count = f"{before + story.VISIT // 2:,}"
    wait_for(page, f"document.getElementById('tiles').textContent.includes('{count}')")
    assert text_of(page, "news").startswith("Regime 2 is back")
    assert evaluate(page, "window.isTheSame")
    served.go_on(story.VISIT // 2)


def test_a_regime_that_was_gone_for_a_moment_is_not_told_with_one_time_twice(page, served):
    evaluate(
        page,
        """{
        const real = window.fetch;
        window.fetch = async (...asked) => {
          const reply = await real(...asked);
          if (!String(asked[0]).includes("/overview")) return reply;
          const state = await reply.json();
          const visits = state.regimes.find(each => each.in_charge).visits.slice(-2);
          visits[0].end = visits[1].begin;
          return new Response(JSON.stringify(state), {status: 200});
        };
        }""",
    )
    served.go_on(20)
    words = "document.getElementById('sentence').textContent"
    wait_for(page, f"{words}.includes(', last seen a moment before; ')")


def test_what_if_asks_every_expert_and_says_why(page, served):
    before = served.client.request("GET", "/v1/models/clicks")
    wait_for(page, "document.querySelectorAll('#inputs input').length === 6")
    wait_for(page, "document.querySelector('#inputs input').value !== ''")
    evaluate(page, "document.querySelectorAll('#inputs input').forEach(cell => cell.value = '')")
    evaluate(page, "document.querySelectorAll('#inputs input')[3].value = '−3,9'")
    evaluate(page, "document.getElementById('ask').click()")
    said = wait_for(page, "document.querySelector('#reply .first')?.textContent")
    assert re.match(r"(yes|no), with a probability of \d+ %: ", said)
    assert "basket = -3.9 " in said
    votes = evaluate(
        page,
        "[...document.querySelectorAll('#reply table')].at(-1).querySelectorAll('tbody tr').length",
    )
    assert votes == len(served.client.request("GET", "/v1/models/clicks/experts"))
    evaluate(page, "document.querySelectorAll('#inputs input')[0].value = 'much'")
    evaluate(page, "document.getElementById('ask').click()")
    wrong = wait_for(page, "document.querySelector('#reply .wrong')?.textContent")
    assert wrong == 'size must be a number or empty, got "much"'
    assert evaluate(page, "document.activeElement.getAttribute('aria-invalid')") == "true"
    after = served.client.request("GET", "/v1/models/clicks")
    assert (after["feedback"], after["pending"]) == (before["feedback"], before["pending"])


def test_nothing_can_be_asked_before_there_are_fields_to_ask(page, served):
    late = """const now = fetch, waiting = [];
        fetch = (path, options) => path.endsWith('/input')
            ? new Promise(tell => waiting.push(() => tell(now(path, options))))
            : now(path, options);"""
    made = page("Page.addScriptToEvaluateOnNewDocument", source=late)
    opened(page, served.url)
    page("Page.removeScriptToEvaluateOnNewDocument", **made)
    wait_for(page, "document.getElementById('whatif-words').textContent.startsWith('Ask')")
    wait_for(page, "waiting.length")  # the fields are on their way
    assert evaluate(page, "document.getElementById('whatif').hidden")
    evaluate(page, "document.getElementById('latest').click()")
    evaluate(page, "document.getElementById('ask').click()")
    assert evaluate(page, "document.getElementById('reply').textContent") == ""
    evaluate(page, "waiting.forEach(answer => answer())")
    wait_for(page, "document.querySelector('#inputs input')?.value")
    wait_for(page, "!document.getElementById('whatif').hidden")


def test_what_users_call_things_is_never_html(page, served):
    number = served.client.request("GET", "/v1/models/clicks/regime")["number"]
    served.client.request(
        "PUT", f"/v1/models/clicks/regimes/{number}", {"title": f"{HOSTILE}<b>summer"}
    )
    wait_for(page, "document.getElementById('sentence').textContent.includes('<b>summer')")
    opened(page, served.url, "constructor")
    wait_for(page, "document.querySelectorAll('#inputs input').length === 3")
    evaluate(page, "document.getElementById('latest').click()")
    said = wait_for(page, "document.querySelector('#reply .first')?.textContent")
    assert said.startswith(("<img", "</script>"))
    tags = "img, b:not(.name b), script:not(:last-of-type)"
    assert evaluate(page, f"document.querySelectorAll('{tags}').length") == 0
    assert evaluate(page, "window.pwned === undefined")
    served.client.request("PUT", f"/v1/models/clicks/regimes/{number}", {"title": ""})


def test_a_regime_gets_a_name_on_the_page(page, served):
    wait_for(page, "document.querySelectorAll('#name-number option').length >= 3")
    evaluate(page, "document.getElementById('name-title').value = 'winter'")
    evaluate(page, "document.querySelector('#name-form button').click()")
    wait_for(page, "document.getElementById('map').textContent.includes('regime 1 (winter)')")
    regimes = served.client.request("GET", "/v1/models/clicks/regimes")
    assert regimes[0]["title"] == "winter"
    served.client.request("PUT", "/v1/models/clicks/regimes/1", {"title": ""})


def test_one_of_several_models_is_chosen_and_kept_in_the_address(page):
    names = evaluate(page, "[...document.querySelectorAll('#models option')].map(o => o.value)")
    assert names == ["clicks", "constructor"]  # a shadow is beside its model
    evaluate(
        page,
        "const s = document.getElementById('models'); s.value = 'constructor'; "
        "s.dispatchEvent(new Event('change'))",
    )
    wait_for(page, "document.getElementById('facts').textContent.includes('constructor')")
    assert evaluate(page, "location.hash") == "#constructor"


def test_lines_of_regimes_are_drawn_over_the_grid_which_may_be_at_the_same_place(page):
    evaluate(
        page,
        """{
        window.strokes = "";
        const real = CanvasRenderingContext2D.prototype.stroke;
        const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
        CanvasRenderingContext2D.prototype.stroke = function (...given) {
          if (this.canvas.closest("#accuracy"))
            window.strokes += this.globalAlpha < 1 ? "r" : this.strokeStyle === line ? "g" : "";
          return real.apply(this, given);
        };
        }
        document.getElementById('window').dispatchEvent(new Event('change'))""",
    )
    wait_for(page, "/g/.test(window.strokes) && /r/.test(window.strokes)")
    assert evaluate(page, "window.strokes").startswith("g")


def test_the_keyboard_walks_along_a_drawing(page):
    evaluate(page, "document.getElementById('accuracy').focus()")
    for key in ("End", "ArrowLeft"):
        page("Input.dispatchKeyEvent", type="keyDown", key=key)
    said = wait_for(page, "document.getElementById('accuracy-readout').textContent")
    assert re.search(r"label [\d,]+: clicks \d\d\.\d %, no-memory \d\d\.\d %; regime \d", said), (
        said
    )
    assert not evaluate(page, "document.querySelector('.hair').hidden")


def test_a_page_of_another_site_cannot_teach_the_model(page, served):
    before = served.learnt
    learn = f"""fetch("{served.url}/v1/models/clicks/learn", {{method: "POST", mode: "no-cors",
        body: '{{"x": {{"size": 1}}, "label": "no"}}'}}).then(() => "sent")"""
    with browser() as other:
        elsewhere = served.url.replace("127.0.0.1", "localhost")  # to a browser another site
        other("Page.navigate", until="Page.loadEventFired", url=f"{elsewhere}/docs")
        assert evaluate(other, learn) == "sent"
    assert served.learnt == before
    assert evaluate(page, learn) == "sent"
    assert served.learnt == before + 1


def test_the_shadow_is_compared_with_the_champion(page):
    table = text_of(page, "duels")
    assert "no-memory" in table
    assert re.search(r"behind|ahead|too close to tell", table)
    assert text_of(page, "legend") == "clicksno-memory (shadow)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_or_small_and_axe_finds_nothing_serious(page, served, width, scheme):
    page("Page.setBypassCSP", enabled=True)  # for axe alone
    set_screen(page, width, scheme)
    opened(page, served.url)
    evaluate(page, "document.getElementById('latest').click()")
    wait_for(page, "document.querySelector('#reply .first')?.textContent")
    evaluate(page, "document.querySelectorAll('details').forEach(each => each.open = true)")
    measured = evaluate(page, MEASURE)
    assert measured["width"] <= width
    assert measured["smallest"][0] >= 11.0
    assert measured["cut"] == []
    evaluate(page, AXE.read_text("utf-8"))
    found = evaluate(page, "axe.run().then(found => found.violations)")
    bad = [
        (each["id"], [node["html"][:200] for node in each["nodes"]])
        for each in found
        if each["impact"] in SERIOUS
    ]
    assert bad == []


def test_every_kind_of_model_has_its_sentence_and_its_form(tmp_path):
    chromium()
    wide = {f"w{k}": float(k) for k in range(30)}
    with running(tmp_path / "store") as server, browser() as tell:
        for domain in ("Runtime", "Log", "Network"):
            tell(f"{domain}.enable")
        tell("Page.navigate", until="Page.loadEventFired", url=server.url)
        wait_for(tell, f"{SENTENCE} === 'There is no model yet.'")
        client = server.client
        client.create("empty")
        client.create("waiting")
        client.predict_many("waiting", [{"a": 1.0}, {"a": 2.0}])
        client.create("price", task="regression")
        client.create("paper", params={"mode": "paper", "interval": 20})
        client.create("wide")
        for at in range(90):
            for name in ("price", "paper"):
                answer = client.predict(name, [at % 7.0, 0.5])
                client.feedback(name, answer.id, at % 7.0 if name == "price" else at % 7 > 3)
        client.learn_many("wide", [wide] * 3, [True, False, True])
        client.create("ill")
        client.learn("ill", {"a": 1.0}, "yes")
        server.platform._models.open("ill").problem = "row 1 could not be learnt"
        words = {
            "empty": r"Nothing has come yet\.",
            "waiting": r"No label has come yet: 2 predictions wait for theirs\.",
            "price": r"No regime has a name yet; "
            r"an error of [\d.]+ on average in the last 89 labels\.",
            "paper": r"The (online expert|expert of labels [\d,]+ to [\d,]+) has most to say.*; "
            r"[\d.]+ % right in the last \d\d labels\.",
            "wide": r"No regime has a name yet; no prediction has its label yet\.",
            "ill": r"ill is in quarantine: row 1 could not be learnt\.",
        }
        for name, pattern in words.items():
            opened(tell, server.url, name)
            said = evaluate(tell, SENTENCE)
            assert re.fullmatch(pattern, said), said
            has_form = name not in ("empty", "waiting")
            assert evaluate(tell, "document.getElementById('whatif').hidden") != has_form
            if has_form:
                wait_for(tell, "document.querySelector('#inputs input, #inputs textarea')?.value")
                evaluate(tell, "document.getElementById('ask').click()")
                wait_for(tell, "document.querySelector('#reply .first')")
        assert evaluate(tell, "document.getElementById('map').textContent") == ""
        client.request("DELETE", "/v1/models/ill")
        wait_for(tell, "document.getElementById('models').value === 'empty'")
        tell.events[:] = [event for event in tell.events if not is_of_what_is_gone(event)]
        assert_all_was_well(tell, server.url)


def test_a_server_that_does_not_answer_is_told_and_an_old_label_too(page, served):
    served.process.send_signal(signal.SIGSTOP)
    try:
        wait_for(page, "document.getElementById('status').className === 'lost'")
    finally:
        served.process.send_signal(signal.SIGCONT)
    wait_for(page, "document.getElementById('status').className === 'live'")
    opened(page, served.url, "constructor")
    assert re.search(r"labels\. No label has come since .+\.$", text_of(page, "sentence"))
    assert re.search(r"the last one \d\d min ago", text_of(page, "tiles"))


def test_a_server_that_is_gone_is_told_and_found_again(tmp_path):
    chromium()
    story.tell(tmp_path / "store", 100, 1.0, shadow=None)
    with browser() as tell:
        with running(tmp_path / "store") as server:
            port = server.port
            opened(tell, server.url)
            begin = time.monotonic()
        assert time.monotonic() - begin < 15.0  # an open page does not hold it back
        wait_for(
            tell, "document.getElementById('status').textContent.startsWith('no answer since')"
        )
        with running(tmp_path / "store", port=port):
            wait_for(tell, "document.getElementById('status').textContent === 'live'")


def test_a_token_is_asked_for_and_kept_for_the_session_only(tmp_path):
    chromium()
    story.tell(tmp_path / "store", 100, 1.0, shadow=None)
    with running(tmp_path / "store", token="open sesame") as server, browser() as tell:
        with closing(Client(server.url)) as stranger, pytest.raises(ServerError, match="token"):
            stranger.request("GET", "/v1/models/clicks/overview")
        tell("Page.navigate", until="Page.loadEventFired", url=server.url)
        for word in ("wrong", "open sesame"):
            wait_for(tell, "document.getElementById('door').open")
            assert evaluate(tell, "document.getElementById('state').hidden")
            evaluate(tell, f"document.getElementById('token').value = '{word}'")
            evaluate(tell, "document.querySelector('#door button').click()")
            if word == "wrong":
                wait_for(tell, "document.getElementById('door-wrong').textContent")
        wait_for(tell, "!document.getElementById('state').hidden")
        assert evaluate(tell, "localStorage.length + document.cookie.length") == 0
        assert evaluate(tell, "JSON.stringify({...sessionStorage})") == json.dumps(
            {"mooe token": "open sesame"}
        ).replace(": ", ":")
        before = server.server.platform.facts("clicks")["feedback"]
        answer = server.client.predict("clicks", dict.fromkeys(story.COLUMNS, 0.5))
        server.client.feedback("clicks", answer.id, "yes")
        wait_for(tell, f"document.getElementById('tiles').textContent.includes('{before + 1}')")
