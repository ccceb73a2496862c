"use strict";
// The live page. Names of models, labels and inputs come from users: they are only ever text.
(() => {
  const at = id => document.getElementById(id);
  const EVERY = 5000; // ms between two looks without news
  const LEAST = 1000; // ms between two looks with news
  const PATIENCE = 10000; // ms for an answer of the server
  const STILL = 600; // s without a label that are worth a word
  const MOST_FIELDS = 24; // inputs of the what-if form; more are one text of JSON
  const MOST_EXPERTS = 12;
  const MOST_VISITS = 3;
  const GUTTER = 52; // px left of a drawing, as in the style
  const TOKEN = "mooe token";

  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "style") Object.assign(node.style, value);
      else if (value !== null && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter(child => child !== null && child !== ""));
    return node;
  };
  const shown = new WeakMap();
  const fill = (node, facts, build) => { // rebuilt only where something has changed
    const key = JSON.stringify(facts);
    if (shown.get(node) === key) return;
    shown.set(node, key);
    node.replaceChildren(...build());
  };
  const own = (object, name) => object && Object.hasOwn(object, name) ? object[name] : null;
  const say = (id, text) => { if (at(id).textContent !== text) at(id).textContent = text; };
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Words

  const minus = text => text.replace(/^-/, "−");
  const count = n => minus(Math.round(n).toLocaleString("en-US"));
  const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
  const percent = (share, digits = 1) => `${minus((100 * share).toFixed(digits))} %`;
  const short = value => minus(Number(value.toPrecision(3)).toLocaleString("en-US", {maximumSignificantDigits: 3}));
  const seconds = s => s < 0.001 ? `${short(1e6 * s)} µs` : s < 1 ? `${short(1e3 * s)} ms` : `${short(s)} s`;
  const span = s => s < 90 ? `${Math.max(0, Math.round(s))} s` : s < 5400 ? `${Math.round(s / 60)} min`
    : s < 172800 ? `${Math.round(s / 3600)} h` : `${count(s / 86400)} days`;
  const dated = options => {
    const format = new Intl.DateTimeFormat("en-GB", {hourCycle: "h23", ...options});
    return t => format.format(new Date(1000 * t));
  };
  const minute = dated({hour: "2-digit", minute: "2-digit"});
  const second = dated({hour: "2-digit", minute: "2-digit", second: "2-digit"});
  const day = dated({day: "numeric", month: "long"});
  const dayOfYear = dated({day: "numeric", month: "long", year: "numeric"});
  const dayBrief = dated({day: "numeric", month: "short"});
  const yearBrief = dated({month: "short", year: "numeric"});
  const sameDay = (a, b) => dayOfYear(a) === dayOfYear(b);
  const date = (t, now) => dayOfYear(t).slice(-4) === dayOfYear(now).slice(-4) ? day(t) : dayOfYear(t);
  const time = (t, now) => sameDay(t, now) ? (Math.abs(now - t) < 300 ? second(t) : minute(t))
    : Math.abs(now - t) < 6 * 86400 ? `${date(t, now)}, ${minute(t)}` : date(t, now);
  const ago = (t, now) => sameDay(t, now) ? `at ${time(t, now)}`
    : sameDay(t, now - 86400) ? `yesterday at ${minute(t)}` : `on ${date(t, now)}`;
  const called = regime => regime.title ? `regime ${regime.number} (${regime.title})` : `regime ${regime.number}`;
  const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
  const text = value => typeof value === "string" ? value : JSON.stringify(value);
  const column = name => typeof name === "number" ? `input ${name}` : name;
  const right = (state, value, digits) => state.model.task === "regression" ? short(value) : percent(value, digits);
  const judged = (state, value, labels) => state.model.task === "regression"
    ? `an error of ${short(value)} on average in the last ${many(labels, "label", "labels")}`
    : `${percent(value)} right in the last ${many(labels, "label", "labels")}`;

  const brief = (t, now) => sameDay(t, now) ? time(t, now)
    : dayOfYear(t).slice(-4) === dayOfYear(now).slice(-4) ? dayBrief(t) : `${dayBrief(t)} ${dayOfYear(t).slice(-4)}`;

  function visitWords({begin, end, dates}, isNow, now) {
    if (begin === null || end === null) {
      const first = begin === null ? dates[0] : brief(begin, now), last = end === null ? dates[1] : brief(end, now);
      return isNow ? (first ? `now, since ${first}` : "now") : !first ? "before this store" : first === last ? first : `${first} to ${last}`;
    }
    const first = brief(begin, now), last = brief(end, now), isToday = sameDay(end, now);
    if (isNow) return `now, since ${sameDay(begin, now) ? first : `${first}, ${minute(begin)}`}`;
    if (!sameDay(begin, end)) return `${first} to ${isToday ? "today, " : ""}${last}`;
    if (isToday) return first === last ? first : `${first} to ${last}`;
    return `${first}, ${minute(begin)}${minute(begin) === minute(end) ? "" : ` to ${minute(end)}`}`;
  }

  function whenWords(regime, now) {
    const visits = regime.visits.map((visit, k) =>
      visitWords(visit, regime.in_charge && k === regime.visits.length - 1, now)).reverse();
    const more = visits.length - MOST_VISITS;
    return visits.slice(0, MOST_VISITS).join("; ") + (more > 0 ? `; and ${more === 1 ? "once" : more === 2 ? "twice" : `${more} times`} before` : "");
  }

  function regimeWords(state) {
    const regime = state.regimes.find(each => each.in_charge);
    if (!regime) {
      const best = [...state.experts].sort((a, b) => b.weight - a.weight)[0];
      if (state.model.mode === "paper" && best && best.kind === "offline")
        return `The expert of ${fittedWords(best)} has most to say, ${percent(best.weight, 0)}`;
      return state.model.mode === "paper" ? "The online expert has most to say"
        : state.regimes.length ? "No known regime is here" : "No regime has a name yet";
    }
    const now = regime.visits[regime.visits.length - 1], before = regime.visits[regime.visits.length - 2];
    const name = capital(called(regime));
    const since = now && now.begin !== null ? ` since ${time(now.begin, state.now)}` : "";
    if (!before) return since ? `${name} is new, here${since}` : `${name} is here`;
    const wasGone = before.end === null || now.begin === null || time(before.end, state.now) !== time(now.begin, state.now);
    const last = !wasGone ? "a moment before" : before.end !== null ? ago(before.end, state.now) : before.dates[1];
    const rows = regime.recognised_after;
    const found = rows === null ? "" : `, recognised after ${rows === 1 ? "1 row" : `${count(rows)} rows`}`;
    return `${name} is back${since}${found}${last ? `, last seen ${last}` : ""}`;
  }

  function sentence(state) {
    const {model, window, waiting} = state;
    if (model.problem) return `${model.name} is in quarantine: ${model.problem}.`;
    if (!model.feedback) return waiting.pending
      ? `No label has come yet: ${many(waiting.pending, "prediction waits for its own", "predictions wait for theirs")}.`
      : state.regimes.length ? `Nothing has come yet; ${many(state.regimes.length, "regime is", "regimes are")} known from before.`
        : "Nothing has come yet.";
    if (window.value === null) return `${regimeWords(state)}; no prediction has its label yet.`;
    const still = waiting.last !== null && state.now - waiting.last > STILL ? ` No label has come since ${time(waiting.last, state.now)}.` : "";
    return `${regimeWords(state)}; ${judged(state, window.value, window.labels)}.${still}`;
  }

  function moreWords(state) {
    const {model, window} = state;
    if (model.problem) return "Restore a snapshot or delete it; other models go on.";
    if (!model.feedback) return `Send rows to /v1/models/${model.name}/predict and labels to /v1/models/${model.name}/feedback.`;
    const words = [];
    const regime = state.regimes.find(each => each.in_charge);
    if (regime) words.push(likeWords(regime));
    const ahead = state.shadows.find(duel => verdict(state, duel) === "ahead");
    if (ahead) words.push(`The shadow ${ahead.name} is ahead.`);
    if (window.value !== null && window.labels < 100) words.push("So few labels tell little yet.");
    return words.join(" ");
  }

  const signs = words => words.replace(/(?<= )-(?=[\d.])/g, "−");
  const likeWords = regime => [
    regime.outcomes && `Its labels: ${regime.outcomes}.`,
    regime.set_apart_by.length && `Set apart by ${signs(regime.set_apart_by.join(", "))}.`].filter(Boolean).join(" ");

  const fittedWords = expert => expert.fitted
    ? `labels ${count(expert.fitted[0] + 1)} to ${count(expert.fitted[1] + 1)}` : "the past";

  function verdict(state, duel) {
    if (duel.labels < 30 || duel.error === null) return "too few labels to tell";
    const gain = state.model.task === "regression" ? -duel.difference : duel.difference;
    if (Math.abs(gain) <= 2 * duel.error) return "too close to tell";
    return gain > 0 ? "ahead" : "behind";
  }

  // The server

  const token = () => sessionStorage.getItem(TOKEN);
  class Refused extends Error {}

  async function ask(path, options = {}) {
    const headers = {...options.headers};
    if (token()) headers.authorization = `Bearer ${token()}`;
    const reply = await fetch(path, {signal: AbortSignal.timeout(PATIENCE), ...options, headers, cache: "no-store"});
    if (reply.ok) return reply;
    let detail = `the server says ${reply.status}`;
    try { detail = (await reply.json()).detail || detail; } catch { /* no words */ }
    if (reply.status === 401) openDoor();
    const problem = new Refused(detail);
    problem.status = reply.status;
    throw problem;
  }
  const get = async path => (await ask(path)).json();
  const send = async (method, path, body) => (await ask(path,
    {method, body: JSON.stringify(body), headers: {"content-type": "application/json"}})).json();
  const route = rest => `v1/models/${encodeURIComponent(chosen)}/${rest}`;

  let wasRefused = false;
  function openDoor() {
    say("door-wrong", token() ? "That is not the token of this server." : "");
    sessionStorage.removeItem(TOKEN);
    wasRefused = true;
    if (!at("door").open) at("door").showModal();
  }
  at("door").addEventListener("cancel", event => event.preventDefault());
  at("door-form").addEventListener("submit", event => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, at("token").value.trim());
    at("token").value = "";
    at("door").close();
    wasRefused = false;
    begin();
  });

  // What is looked at

  let chosen = "", state = null, range = "recent", lastLook = 0, timer = 0, looking = false;
  let stream = null, lost = 0, lastRegime = null;

  function setStatus(kind, words) {
    at("status").className = kind;
    say("status", words);
  }

  async function listModels() {
    const models = (await get("v1/models")).filter(model => model.shadow_of === null);
    const names = models.map(model => model.name);
    fill(at("models"), names, () => names.map(name => el("option", {value: name}, name)));
    at("choice").hidden = !names.length;
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { /* not one of ours */ }
    const name = names.includes(wanted) ? wanted : names.includes(chosen) ? chosen : names[0] || "";
    at("models").value = name;
    if (name !== chosen) choose(name);
  }

  function choose(name) {
    chosen = name;
    state = null;
    lastRegime = null;
    at("state").hidden = true;
    at("reply").replaceChildren();
    inputs = [];
    formOf = "";
    rest();
    if (name) {
      say("sentence", "…");
      say("more", "");
      if (!document.hidden) listen();
    }
  }

  at("models").addEventListener("change", () => {
    history.replaceState(null, "", `#${encodeURIComponent(at("models").value)}`);
    choose(at("models").value);
    look();
  });
  addEventListener("hashchange", () => begin());

  async function listen() { // events of the model, by fetch because EventSource cannot send a token
    const mine = stream = new AbortController();
    while (!mine.signal.aborted) {
      try {
        const reply = await ask(route("events"), {signal: mine.signal});
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
          const {done, value} = await reader.read();
          if (done) break;
          if (value.includes("event:")) soon(LEAST);
        }
      } catch (problem) {
        if (mine.signal.aborted) return;
        if (problem.status === 401) {
          stream = null;
          return;
        }
      }
      await new Promise(resolve => setTimeout(resolve, EVERY));
    }
  }

  function soon(wait) {
    const due = Math.max(0, Math.min(wait, lastLook + wait - Date.now()));
    clearTimeout(timer);
    timer = setTimeout(look, due);
  }

  async function look() {
    if (looking || wasRefused || document.hidden) return;
    looking = true;
    lastLook = Date.now();
    try {
      if (!chosen) await listModels();
      if (chosen) {
        const name = chosen, found = await get(route(`overview?window=${at("window").value}`));
        if (name === chosen) show(found);
        if (!stream && !document.hidden) listen();
      } else {
        document.title = "mooe";
        say("sentence", "There is no model yet.");
        say("more", "Make one: PUT /v1/models/NAME with {} as its body; /docs has all routes.");
      }
      lost = 0;
      setStatus("live", "live");
    } catch (problem) {
      if (problem.status === 404) choose("");
      else if (problem.status === 503) {
        setStatus("waits", "the server gets ready");
        if (!state) say("sentence", "The server is loading its models.");
        say("more", problem.message);
      } else if (problem.status !== 401) {
        lost = lost || lastLook / 1000;
        setStatus("lost", `no answer since ${second(lost)}, trying again`);
        if (problem instanceof Refused) say("more", problem.message);
      }
    } finally {
      looking = false;
      soon(lost || !state ? 2000 : EVERY);
    }
  }
  function rest() { // a browser has six connections for a server: who is not seen keeps none
    if (stream) stream.abort();
    stream = null;
  }
  function wake() {
    if (chosen && !stream) listen();
    look();
  }
  document.addEventListener("visibilitychange", () => document.hidden ? rest() : wake());
  addEventListener("pagehide", rest);
  addEventListener("pageshow", event => { if (event.persisted) wake(); });
  setInterval(() => { if (!document.hidden && !wasRefused && chosen) listModels().catch(() => {}); }, 30000);

  // Drawings

  const dashes = [[], [10, 4], [8, 3, 2, 3], [4, 3]];
  const stroke = k => () => colour(`--s${k % 6}`);
  const charts = {};

  function chart(id, names, options) {
    const box = at(id);
    const old = charts[id];
    const key = JSON.stringify([names, options.key]);
    if (old && old.key === key) return old;
    if (old) old.plot.destroy();
    const made = {key, options, readout: at(`${id}-readout`)};
    const axis = {stroke: () => colour("--soft"), grid: {stroke: () => colour("--line"), width: 1},
      ticks: {show: false}, font: `12px ${getComputedStyle(document.body).fontFamily}`};
    made.plot = new uPlot({
      width: box.clientWidth, height: box.clientHeight, padding: [8, 28, 0, 0],
      legend: {show: false}, cursor: {y: false, drag: {x: false, y: false}, points: {size: 7}},
      scales: {x: {time: false, range: (u, low, high) => options.span(low, high)}, y: {range: options.range}},
      series: [{}, ...names.map((name, k) => ({label: name, stroke: stroke(k), width: k ? 1.5 : 2.25,
        dash: dashes[k % 4], points: {show: u => u.data[0].length < 3}, spanGaps: false}))],
      axes: [
        {...axis, size: 28, space: 84, values: (u, places) => u.data[0].length ? options.along(places) : places.map(() => "")},
        {...axis, size: GUTTER, values: (u, values) => values.map(options.up)},
      ],
      hooks: {
        setCursor: [u => {
          const k = u.cursor.left < 0 ? null : u.cursor.idx;
          made.readout.textContent = k === null || k === undefined ? "" : options.words(k);
          if (options.cursor) options.cursor(k === null || k === undefined ? null : u.cursor.left);
        }],
        drawAxes: [u => { if (options.behind) options.behind(u); }], // over the grid, behind the lines
      },
    }, [[], ...names.map(() => [])], box);
    charts[id] = made;
    return made;
  }

  function steer(id) { // the arrows of the keyboard move along a drawing
    at(id).addEventListener("keydown", event => {
      const made = charts[id], n = made ? made.plot.data[0].length : 0;
      const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity};
      if (!n || !(event.key in steps)) return;
      event.preventDefault();
      const here = made.plot.cursor.left >= 0 && made.plot.cursor.idx !== null ? made.plot.cursor.idx : n;
      const k = Math.max(0, Math.min(n - 1, here + steps[event.key]));
      made.plot.setCursor({left: made.plot.valToPos(made.plot.data[0][k], "x"), top: 10});
    });
    at(id).addEventListener("blur", () => { if (charts[id]) charts[id].plot.setCursor({left: -10, top: -10}); });
  }
  steer("accuracy");
  steer("traffic");

  new ResizeObserver(() => {
    for (const [id, made] of Object.entries(charts))
      made.plot.setSize({width: at(id).clientWidth, height: at(id).clientHeight});
    if (state) drawMap();
  }).observe(at("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const made of Object.values(charts)) made.plot.redraw(false);
  });

  const lines = () => state[range];
  const extent = () => { // labels that are drawn: from and to
    const last = Math.max(state.model.feedback, 1);
    return [Math.min(lines().first, last - 1), last];
  };
  let anchors = []; // [label, time], where both are known
  function findAnchors() {
    const known = new Map(state.recent.seqs.map((seq, k) => [seq, state.recent.times[k]]));
    state.long.seqs.forEach((seq, k) => known.set(seq, state.long.times[k]));
    for (const regime of state.regimes) for (const visit of regime.visits) {
      if (visit.first !== null) known.set(visit.first, visit.begin);
      if (visit.last !== null) known.set(visit.last, visit.end);
    }
    anchors = [...known].sort((a, b) => a[0] - b[0]);
  }
  function timeAt(seq) { // of a label, between those whose times are known
    if (!anchors.length) return null;
    const k = anchors.findIndex(([each]) => each >= seq);
    if (k <= 0) return anchors[k < 0 ? anchors.length - 1 : 0][1];
    const [[before, begin], [after, end]] = [anchors[k - 1], anchors[k]];
    return begin + (seq - before) / (after - before) * (end - begin);
  }
  function tickWords(places) {
    const times = places.map(timeAt);
    const known = times.filter(t => t !== null);
    const wide = known.length ? known[known.length - 1] - known[0] : 0;
    const format = wide > 300 * 86400 ? yearBrief : wide > 2 * 86400 ? dayBrief
      : wide > 1200 ? minute : second;
    return times.map((t, k) => t === null ? count(places[k]) : format(t));
  }
  const inCharge = seq => state.regimes.find(regime => regime.visits.some((visit, k) =>
    visit.first !== null && visit.first <= seq &&
    (seq <= visit.last || (regime.in_charge && k === regime.visits.length - 1))));

  function drawAccuracy() {
    const {seqs, times, values} = lines(), isError = state.model.task === "regression";
    const names = [state.model.name, ...Object.keys(values).filter(name => name !== state.model.name).sort()];
    say("accuracy-title", isError ? "Error along the stream" : "Right answers along the stream");
    fill(at("legend"), [names, state.model.shadows], () => names.length < 2 ? [] : names.map((name, k) =>
      el("li", {}, el("i", {style: {borderColor: `var(--s${k % 6})`, borderTopStyle: k ? "dashed" : "solid"}}),
        k ? `${name} (shadow)` : name)));
    const made = chart("accuracy", names, {
      key: [isError, chosen],
      span: () => extent(),
      range: (u, low, high) => {
        if (low === null || low === undefined) return [0, 1];
        if (isError) return [0, high * 1.1 || 1];
        const floor = Math.max(0, Math.floor(10 * low - 0.3) / 10);
        return [Math.min(floor, 0.9), Math.min(1, Math.ceil(20 * high + 0.2) / 20)];
      },
      along: tickWords,
      up: value => isError ? short(value) : `${Math.round(100 * value)} %`,
      words: k => {
        const {seqs, times, values} = lines(), regime = inCharge(seqs[k]);
        const each = names.map(name => [name, (own(values, name) || [])[k]])
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => `${names.length > 1 ? `${name} ` : ""}${right(state, value)}`).join(", ");
        return `${time(times[k], state.now)}, label ${count(seqs[k])}: ${each}${regime ? `; ${called(regime)}` : ""}`;
      },
      cursor: left => {
        for (const hair of document.querySelectorAll(".hair")) {
          hair.hidden = left === null;
          if (left !== null) hair.style.left = `${GUTTER + left}px`;
        }
      },
      behind: u => {
        const [first, last] = extent(), context = u.ctx;
        context.save();
        context.strokeStyle = colour("--soft");
        context.globalAlpha = 0.55;
        context.lineWidth = devicePixelRatio;
        context.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
        for (const regime of state.regimes) for (const visit of regime.visits) {
          if (visit.first === null || visit.first <= first || visit.first >= last) continue;
          const x = Math.round(u.valToPos(visit.first, "x", true)) + 0.5;
          context.beginPath();
          context.moveTo(x, u.bbox.top);
          context.lineTo(x, u.bbox.top + u.bbox.height);
          context.stroke();
        }
        context.restore();
      },
    });
    made.plot.setData([seqs, ...names.map(name => own(values, name) || seqs.map(() => null))]);
    const drawn = (own(values, state.model.name) || []).filter(value => value !== null);
    const what = range === "long" ? "Each point is the mean of 100 labels"
      : `Each point is the mean of the ${count(Number(at("window").value))} labels before it`;
    const between = drawn.length ? `; between ${right(state, Math.min(...drawn))} and ${right(state, Math.max(...drawn))}, now ${right(state, drawn[drawn.length - 1])}` : "";
    say("accuracy-words", drawn.length ? `${what}${between}.${state.regimes.length ? " Dashed lines: another regime takes charge." : ""}`
      : "Drawn from 20 labelled predictions on.");
    at("ranges").hidden = !state.recent.first;
  }

  function drawMap() {
    const [first, last] = extent(), now = state.now;
    const known = [...state.regimes].sort((a, b) => a.number - b.number);
    at("naming").hidden = !known.length;
    at("described").hidden = !known.length;
    fill(at("regimes"), known.map(each => [called(each), likeWords(each)]), () => known.flatMap(each =>
      [el("dt", {}, capital(called(each))), el("dd", {}, likeWords(each) || "Nothing sets it apart yet.")]));
    fill(at("name-number"), known.map(each => [each.number, each.title]), () =>
      known.map(each => el("option", {value: each.number}, called(each))));
    const ticks = [];
    const n = at("map").clientWidth < 500 ? 3 : 6;
    for (let k = 0; k < n; k++) ticks.push(first + (last - first) * k / (n - 1));
    fill(at("map"), [known, first, last, n, range, Math.floor(now / 60)], () => {
      if (!known.length) return [];
      const rows = known.map(regime => el("li", {},
        el("p", {class: "name"}, el("b", {}, called(regime)), " ",
          el("span", {}, `${whenWords(regime, now)} · ${many(regime.labels, "label", "labels")}`)),
        el("div", {class: "track", "aria-hidden": "true"}, ...regime.visits.map((visit, k) => {
          const isNow = regime.in_charge && k === regime.visits.length - 1;
          const from = Math.max(first, visit.first === null ? last + 1 : visit.first - 1);
          const to = isNow ? last : Math.min(last, visit.last === null ? -1 : visit.last);
          if (to <= from) return null;
          return el("span", {class: isNow ? "visit now" : "visit", title: visitWords(visit, isNow, now), style: {
            left: `${100 * (from - first) / (last - first)}%`, width: `${100 * (to - from) / (last - first)}%`}});
        }))));
      const words = tickWords(ticks);
      return [el("ul", {class: "map"}, ...rows, el("li", {class: "hair", hidden: "", "aria-hidden": "true"})),
        el("div", {class: "axis", "aria-hidden": "true"}, ...words.map((word, k) =>
          el("span", {style: {left: `${100 * k / (n - 1)}%`}}, word)))];
    });
    const memory = state.experts.filter(each => each.kind === "memory").reduce((sum, each) => sum + each.weight, 0);
    at("recall").hidden = state.model.mode === "paper";
    say("map-words", known.length
      ? `A line for each regime that is known, bars where it was in charge. What it remembers has ${percent(memory, 0)} of the say now.`
      : "Regimes get a line here once they were recognised a few times.");
  }

  function drawTraffic() {
    const {times, predictions, labels} = state.traffic, names = ["predictions", "labels"];
    fill(at("traffic-legend"), names, () => names.map((name, k) =>
      el("li", {}, el("i", {style: {borderColor: `var(--s${k})`, borderTopStyle: k ? "dashed" : "solid"}}), name)));
    const made = chart("traffic", names, {
      key: [chosen],
      span: (low, high) => low === null ? [0, 1] : [low, Math.max(high, low + 1)],
      range: (u, low, high) => [0, Math.max(1, 1.1 * (high || 0))],
      along: places => places.map(t => places[places.length - 1] - places[0] > 1200 ? minute(t) : second(t)),
      up: value => short(value),
      words: k => `${time(state.traffic.times[k], state.now)}: ${short(state.traffic.predictions[k])} predictions and ${short(state.traffic.labels[k])} labels a second`,
    });
    made.plot.setData([times, predictions, labels]);
    say("traffic-words", times.length ? `Between two looks of this page. Learning a label takes ${seconds(state.traffic.pace)}.`
      : "Drawn from the second look on.");
  }

  // Numbers

  function tile(name, number, under) {
    return el("div", {}, el("dt", {}, name), el("dd", {class: "number"}, number), el("dd", {class: "under"}, under));
  }

  function showTiles() {
    const {window, waiting, traffic, latency, model} = state, last = traffic.times.length - 1;
    const isError = model.task === "regression";
    let change = "";
    if (window.before !== null && window.value !== null) {
      const gap = window.value - window.before;
      change = `${gap < 0 ? "" : "+"}${isError ? short(gap) : `${minus((100 * gap).toFixed(1))} points`} on those before`;
    }
    const rate = k => last < 0 ? "–" : short(traffic[k][last]);
    const took = latency.predict && latency.predict.p50 !== null ? latency.predict : null;
    const labels = latency.feedback && latency.feedback.p50 !== null ? latency.feedback : null;
    const inVain = waiting.expired + waiting.defaulted;
    const facts = [
      [isError ? `error, last ${count(window.labels)} labels` : `right, last ${count(window.labels)} labels`,
        window.value === null ? "–" : right(state, window.value), change],
      ["labels learnt", count(model.feedback),
        waiting.backlog ? `${count(waiting.backlog)} more wait for their turn` : last >= 0 && traffic.labels[last] > 0
          ? `${rate("labels")} a second` : waiting.last === null ? "" : `the last one ${span(state.now - waiting.last)} ago`],
      ["labels waited for", count(waiting.pending),
        waiting.oldest === null ? "" : `the oldest for ${span(state.now - waiting.oldest)}`],
      ["waited for in vain", count(inVain), waiting.defaulted
        ? `${count(waiting.defaulted)} learnt as ${text(model.settings.default_label)}` : model.settings.expire_after
          ? `given up after ${span(model.settings.expire_after)}` : "labels never expire"],
      ["predictions a second", rate("predictions"), ""],
      ["a prediction takes", took ? `${seconds(took.p50)}` : "–", took
        ? `99 % within ${seconds(took.p99)}${labels ? `; labels ${seconds(labels.p50)}` : ""}` : "no request in the last minute"],
    ];
    fill(at("tiles"), facts, () => facts.map(fact => tile(...fact)));
  }

  function head(...names) {
    return el("thead", {}, el("tr", {}, ...names.map(name => el("th", {scope: "col"}, name))));
  }
  const bar = share => el("span", {class: "bar", "aria-hidden": "true"}, el("i", {style: {width: `${100 * Math.max(0, Math.min(1, share))}%`}}));

  function expertWords(expert) {
    const regime = state.regimes.find(each => each.in_charge);
    if (expert.kind === "memory") return regime ? `copy of ${called(regime)}` : "of regimes without a name";
    if (expert.kind === "offline") return `fitted on ${fittedWords(expert)}`;
    if (expert.fitted) return "learns from the labels of this interval";
    return "learns from every label";
  }

  function showExperts() {
    const all = [...state.experts].sort((a, b) => b.weight - a.weight);
    const n = all.length > MOST_EXPERTS + 1 ? MOST_EXPERTS : all.length; // a single one is no "others"
    const listed = all.slice(0, n), rest = all.slice(n);
    const age = expert => expert.since === null && expert.labels === null ? "–" : span(state.now - (expert.since ?? state.now));
    const facts = listed.map(each => [each.name, expertWords(each), percent(each.weight), each.since === null ? "–" : age(each),
      each.labels === null ? "" : expertLabels(each), each.weight]);
    const others = rest.reduce((sum, each) => sum + each.weight, 0);
    fill(at("experts"), [facts, others], () => !facts.length ? [el("p", {class: "note"}, "None has learnt yet.")]
      : [el("table", {"aria-label": "Experts, their weights and ages"}, head("expert", "weight", "age"), el("tbody", {}, ...facts.map(
        ([name, words, weight, old, labels, share]) => el("tr", {},
          el("th", {scope: "row"}, name, el("small", {}, words)),
          el("td", {}, weight, bar(share)), el("td", {}, old, el("small", {}, labels)))),
        ...(rest.length ? [el("tr", {}, el("th", {scope: "row"}, `${count(rest.length)} others`), el("td", {}, percent(others)), el("td", {}))] : [])))]);
  }
  const expertLabels = each => each.kind === "offline" ? `${many(each.labels, "label", "labels")} ago` : many(each.labels, "label", "labels");

  function showShadows() {
    at("shadow").hidden = !state.shadows.length;
    const isError = state.model.task === "regression";
    const facts = state.shadows.map(duel => {
      const gap = duel.difference === null ? "–" : isError ? `${duel.difference < 0 ? "" : "+"}${short(duel.difference)}`
        : `${duel.difference < 0 ? "" : "+"}${minus((100 * duel.difference).toFixed(1))}`;
      const error = duel.error === null ? "" : ` ± ${isError ? short(2 * duel.error) : (200 * duel.error).toFixed(1)}`;
      return [duel.name, verdict(state, duel), duel.champion === null ? "–" : right(state, duel.champion),
        duel.shadow === null ? "–" : right(state, duel.shadow), `${gap}${error}`, duel.labels];
    });
    fill(at("duels"), facts, () => [el("table", {"aria-label": "Shadows against the champion"},
      head("shadow", state.model.name, "shadow", isError ? "more error" : "points"),
      el("tbody", {}, ...facts.map(([name, words, champion, shadow, gap]) => el("tr", {},
        el("th", {scope: "row"}, name, el("small", {}, words)), el("td", {}, champion), el("td", {}, shadow), el("td", {}, gap))))),
      el("p", {class: "note"}, facts.map(([name, , , , , labels]) => `${name}: the last ${many(labels, "label", "labels")} that both answered`).join("; ")
        + ". ±: twice the standard error.")]);
  }

  function showFacts() {
    const {model, waiting} = state, wait = model.settings.expire_after;
    const params = Object.entries(model.params).map(([name, value]) => `${name} ${text(value)}`).join(", ");
    const facts = {
      model: `${model.name}, ${model.task}, ${model.mode === "paper" ? "the paper's" : "the default"}${params ? ` (${params})` : ""}`,
      made: `${dayOfYear(model.created)}, ${minute(model.created)}`,
      labels: wait === null || wait === undefined ? "are waited for without limit" : `are waited for ${span(wait)}`,
    };
    fill(at("facts"), facts, () => Object.entries(facts).flatMap(([name, fact]) => [el("dt", {}, name), el("dd", {}, fact)]));
    document.querySelector("footer p").hidden = Boolean(token());
  }

  function show(found) {
    state = found;
    if (!state.recent.first) range = "recent";
    findAnchors();
    at("state").hidden = false;
    const words = sentence(state);
    say("sentence", words);
    say("more", moreWords(state));
    document.querySelector(".answer").classList.toggle("ill", Boolean(state.model.problem));
    const regime = state.regimes.find(each => each.in_charge);
    const news = state.model.problem || (regime ? String(regime.number) : "");
    if (lastRegime !== null && news !== lastRegime) say("news", words);
    lastRegime = news;
    document.title = [state.window.value === null ? "" : right(state, state.window.value), regime ? called(regime) : "",
      `${state.model.name} – mooe`].filter(Boolean).join(" · ");
    showTiles();
    drawAccuracy();
    drawMap();
    drawTraffic();
    showShadows();
    showExperts();
    showFacts();
    showForm();
  }

  for (const radio of document.querySelectorAll("[name=range]"))
    radio.addEventListener("change", () => { range = radio.value; at("window").disabled = range === "long"; if (state) { drawAccuracy(); drawMap(); } });
  at("window").addEventListener("change", () => look());

  at("name-form").addEventListener("submit", async event => {
    event.preventDefault();
    try {
      await send("PUT", route(`regimes/${at("name-number").value}`), {title: at("name-title").value.trim()});
      say("name-said", "saved");
      at("name-title").value = "";
      setTimeout(look, LEAST);
    } catch (problem) { say("name-said", problem.message); }
  });

  // What if?

  let inputs = []; // [name or number, field]
  let formOf = ""; // the model and the number of columns that the form was made for

  async function showForm() {
    const isAble = state.columns > 0, wanted = `${chosen} ${state.columns}`;
    at("whatif").hidden = !isAble || !inputs.length;
    say("whatif-words", isAble
      ? "Ask the model as it is now. Nothing is stored and nothing is learnt; an empty field is an absent value."
      : "Once the model has learnt a label it can be asked here.");
    if (!isAble || formOf === wanted) return;
    formOf = wanted;
    const name = chosen;
    try {
      const {columns, x} = await get(route("input"));
      if (name !== chosen) return;
      const isWide = columns.length > MOST_FIELDS;
      inputs = isWide ? [[null, el("textarea", {spellcheck: "false"})]]
        : columns.map(each => [each, el("input", {inputmode: "decimal", autocomplete: "off"})]);
      at("inputs").replaceChildren(...inputs.map(([each, field]) => el("label", {class: isWide ? "whole" : null},
        isWide ? `x, ${count(columns.length)} inputs as JSON` : column(each), field)));
      write(x);
      at("whatif").hidden = false;
    } catch { formOf = ""; }
  }

  function write(x) {
    for (const [name, field] of inputs) {
      field.removeAttribute("aria-invalid");
      const value = name === null ? x : own(x, name);
      field.value = name === null ? JSON.stringify(x, null, 1) : value === null ? "" : String(Number(value.toPrecision(6)));
    }
  }
  at("latest").addEventListener("click", async () => {
    try {
      write((await get(route("input"))).x);
      askWhatIf();
    } catch (problem) { showWrong(problem); }
  });
  at("whatif").addEventListener("submit", event => { event.preventDefault(); askWhatIf(); });

  function given() { // the x of the form, or an error at the field that is wrong
    if (inputs.length === 1 && inputs[0][0] === null) {
      try { return JSON.parse(inputs[0][1].value); }
      catch { throw Object.assign(new Error("x must be JSON: an object of numbers by name, or a list of numbers"), {field: inputs[0][1]}); }
    }
    const isList = typeof inputs[0][0] === "number", x = isList ? [] : Object.create(null);
    for (const [name, field] of inputs) {
      const written = field.value.trim().replace("−", "-").replace(",", ".");
      const value = written === "" ? null : Number(written);
      if (value !== null && !Number.isFinite(value))
        throw Object.assign(new Error(`${column(name)} must be a number or empty, got ${JSON.stringify(field.value)}`), {field});
      if (isList) x.push(value); else x[name] = value;
    }
    return x;
  }

  async function askWhatIf() {
    if (!inputs.length) return; // the form of this model is on its way
    for (const [, field] of inputs) field.removeAttribute("aria-invalid");
    try {
      const x = given();
      showReply(await send("POST", route("explain"), {x}));
    } catch (problem) { showWrong(problem); }
  }

  function showWrong(problem) {
    if (problem.field) {
      problem.field.setAttribute("aria-invalid", "true");
      problem.field.focus();
    }
    at("reply").replaceChildren(el("p", {class: "wrong"}, problem.message));
  }

  function showReply(told) {
    const answer = value => typeof value === "number" && state.model.task === "regression" ? short(value) : text(value);
    const likely = [...told.probabilities].sort((a, b) => b[1] - a[1]).slice(0, 6);
    const votes = [...told.votes].sort((a, b) => b.weight - a.weight);
    const tables = [];
    if (likely.length) tables.push(el("table", {"aria-label": "Probability of each label"}, head("label", "probability"), el("tbody", {},
      ...likely.map(([label, share]) => el("tr", {}, el("th", {scope: "row"}, text(label)), el("td", {}, percent(share), bar(share)))))));
    const moved = effect => `${effect < 0 ? "" : "+"}${state.model.task === "regression" ? short(effect) : `${minus((100 * effect).toFixed(0))} points`}`;
    if (told.inputs.length) tables.push(el("table", {"aria-label": "Inputs that mattered"}, head("input", "is", "moves it by"), el("tbody", {},
      ...told.inputs.slice(0, 8).map(input => el("tr", {}, el("th", {scope: "row"}, input.column),
        el("td", {}, typeof input.value === "number" ? short(input.value) : text(input.value)), el("td", {}, moved(input.effect)))))));
    const votesTable = el("table", {"aria-label": "Votes of the experts"}, head("expert", "weight", "vote"), el("tbody", {},
      ...votes.map(vote => el("tr", {}, el("th", {scope: "row"}, vote.expert), el("td", {}, percent(vote.weight), bar(vote.weight)), el("td", {}, vote.vote === null ? "–" : answer(vote.vote))))));
    at("reply").replaceChildren(el("p", {class: "first"}, told.sentence),
      el("div", {class: "tables"}, el("div", {}, ...tables), votesTable));
  }

  function begin() {
    listModels().catch(() => {}).finally(() => look());
  }
  begin();
})();
