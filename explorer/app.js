// The explorer. What documents say is data to it: it reaches the page as text nodes and canvas text only.
(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en").format;

// ------------------------------------------------------------------ the graph
const nodes = data.entities.map((e, rank) => ({ ...e, rank, key: folded(e.name), degree: 0, facts: [], type: e.types[0] || "" }));
const byId = new Map(nodes.map((n) => [n.id, n]));
const facts = data.facts;
const links = [];
for (const fact of facts) {
  fact.s = byId.get(fact.source);
  fact.o = byId.get(fact.target);
  fact.s.facts.push(fact);
  if (fact.o && fact.o !== fact.s) {
    fact.o.facts.push(fact);
    fact.s.degree++;
    fact.o.degree++;
    links.push({ source: fact.s, target: fact.o, fact });
  }
}
for (const node of nodes) node.r = Math.min(22, 3 + 1.5 * Math.sqrt(node.degree));
bend(links);
const byDegree = [...nodes].sort((a, b) => a.degree - b.degree || b.rank - a.rank);

function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

// Links between the same two fan out; a lone one is straight.
function bend(all) {
  const pairs = d3Group(all, (l) => [l.source.id, l.target.id].sort().join(" "));
  for (const pair of pairs.values()) {
    pair.forEach((link, i) => {
      const turn = link.source.id < link.target.id ? 1 : -1;
      link.bend = turn * (i - (pair.length - 1) / 2) * 14;
    });
  }
}

function d3Group(all, key) {
  const groups = new Map();
  for (const one of all) {
    const k = key(one);
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(one);
  }
  return groups;
}

// Writing direction can be turned by characters in a name; on a canvas nothing isolates them.
function plain(text, longest = 42) {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, " ").trim();
  const characters = Array.from(clean);
  return characters.length > longest ? characters.slice(0, longest - 1).join("") + "…" : clean;
}
for (const node of nodes) node.label = plain(node.name);

// ------------------------------------------------------------------ valid time
const HOUR = 3600, DAY = 86400, YEAR = 365.2425 * DAY;
const time = (() => {
  let low = Infinity, high = -Infinity;
  for (const f of facts) for (const span of f.spans) for (const bound of span) {
    if (bound !== null) { low = Math.min(low, bound); high = Math.max(high, bound); }
  }
  if (low > high) return null;
  const unit = high - low > 150 * YEAR ? "year" : high - low > 2 * YEAR ? "month" : high - low > 2 * DAY ? "day" : "hour";
  const start = new Date(low * 1000);
  const at = (i) => {
    const day = new Date(0);
    if (unit === "year") day.setUTCFullYear(start.getUTCFullYear() + i, 0, 1);
    else if (unit === "month") day.setUTCFullYear(start.getUTCFullYear(), start.getUTCMonth() + i, 1);
    else if (unit === "day") day.setUTCFullYear(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + i);
    else return (Math.floor(low / HOUR) + i) * HOUR;
    return day.getTime() / 1000;
  };
  const steps = [];
  for (let i = -1; i < 20000; i++) {
    steps.push(at(i));
    if (at(i - 1) > high) break;
  }
  return { unit, steps, last: steps.length - 2 };
})();

function written(seconds, unit) {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  const two = (n) => String(n).padStart(2, "0");
  const shown = year > 0 ? String(year).padStart(4, "0") : `${1 - year}`;
  const rest = unit === "year" ? "" : `-${two(date.getUTCMonth() + 1)}` + (unit === "month" ? "" : `-${two(date.getUTCDate())}`)
    + (unit === "hour" ? ` ${two(date.getUTCHours())}:00` : "");
  return shown + rest + (year > 0 ? "" : " BCE");
}

// As as_of does it: a fact holds in a period that it overlaps.
function holds(fact, step) {
  if (step === null) return true;
  const from = time.steps[step], to = time.steps[step + 1];
  return fact.spans.some(([a, b]) => (a === null || a < to) && (b === null || b > from));
}

// ------------------------------------------------------------------ what is shown
const state = { step: null, selected: null, followed: null, hovered: null, hidden: new Set(), theme: null };
let holding = facts.length;

function judge() {
  holding = 0;
  for (const f of facts) {
    f.on = holds(f, state.step);
    if (f.on) holding++;
  }
  for (const n of nodes) n.lit = false;
  for (const f of facts) if (f.on) { f.s.lit = true; if (f.o) f.o.lit = true; }
  for (const n of nodes) {
    n.shown = !state.hidden.has(n.type);
    n.lit = n.shown && (n.lit || n.facts.length === 0 && state.step === null);
  }
  for (const l of links) l.on = l.fact.on && l.source.shown && l.target.shown;
}

// ------------------------------------------------------------------ colours
const TYPES = [...d3Group(nodes, (n) => n.type)].map(([type, all]) => [type, all.length])
  .sort((a, b) => (a[0] === "") - (b[0] === "") || b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
const PALETTE = {
  light: ["#3b6fb5", "#d9782d", "#3f9463", "#b8497d", "#8a6bbf", "#b0912a", "#3a9aa6", "#c2534b"],
  dark: ["#79a8ee", "#f0a163", "#74c795", "#e489b3", "#b79ff0", "#dcc160", "#6fcbd6", "#f08a83"],
};
const GREY = { light: "#8d949c", dark: "#8b939c" };
const paint = {};

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "sheet", "ink", "quiet", "line", "edge", "accent", "warn"]) {
    paint[name] = style.getPropertyValue(`--${name}`).trim();
  }
  paint.font = getComputedStyle(document.body).fontFamily;
  TYPES.forEach(([type], i) => {
    paint[`type ${type}`] = (type !== "" && PALETTE[theme][i]) || GREY[theme];
  });
  drawLegend();
  drawHistogram();
  if (state.selected) showPanel();
  redraw();
}
const colour = (node) => paint[`type ${node.type}`];

// ------------------------------------------------------------------ the canvas
const canvas = $("graph");
const context = canvas.getContext("2d");
let width = 0, height = 0, ratio = 1, view = d3.zoomIdentity, isMine = false, isAsked = false;

function redraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; draw(); });
}

const X = (n) => n.x * view.k + view.x;
const Y = (n) => n.y * view.k + view.y;
const R = (n) => Math.max(1.6, n.r * Math.min(1.6, Math.sqrt(view.k)));

function near(link) {
  return state.selected && (link.source === state.selected || link.target === state.selected);
}

function draw() {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const chosen = state.selected;
  const friends = new Set(chosen ? [chosen] : []);
  const batches = { now: [], was: [], not: [] };
  const close = [];
  for (const link of links) {
    if (!link.on) continue;
    if (near(link)) {
      close.push(link);
      friends.add(link.source).add(link.target);
    } else {
      batches[link.fact.negated ? "not" : state.step === null && link.fact.status === "superseded" ? "was" : "now"].push(link);
    }
  }
  const faint = chosen ? 0.1 : Math.max(0.16, Math.min(0.55, 900 / (links.length + 1)));
  context.lineWidth = Math.max(0.7, Math.min(1.4, view.k));
  for (const [kind, batch] of Object.entries(batches)) {
    context.globalAlpha = kind === "was" ? faint * 0.8 : faint;
    context.strokeStyle = kind === "not" ? paint.warn : paint.edge;
    context.setLineDash(kind === "was" ? [3, 4] : []);
    context.beginPath();
    for (const link of batch) trace(link);
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const link of close) drawClose(link);
  context.setLineDash([]);
  for (const node of byDegree) drawNode(node, !chosen || friends.has(node));
  drawLabels(chosen ? friends : null, close);
}

function middle(link) {
  const x1 = X(link.source), y1 = Y(link.source), x2 = X(link.target), y2 = Y(link.target);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const off = link.bend * Math.min(1.5, Math.sqrt(view.k)) * 2;
  return [(x1 + x2) / 2 - (y2 - y1) / length * off, (y1 + y2) / 2 + (x2 - x1) / length * off];
}

function trace(link) {
  context.moveTo(X(link.source), Y(link.source));
  if (link.bend) context.quadraticCurveTo(...middle(link), X(link.target), Y(link.target));
  else context.lineTo(X(link.target), Y(link.target));
}

function drawClose(link) {
  const was = link.fact.status === "superseded" && state.step === null;
  context.strokeStyle = context.fillStyle = link.fact.negated ? paint.warn : was ? paint.edge : paint.accent;
  context.globalAlpha = was ? 0.7 : 0.85;
  context.lineWidth = 1.4;
  context.setLineDash(was ? [4, 4] : []);
  context.beginPath();
  trace(link);
  context.stroke();
  const [mx, my] = link.bend ? middle(link) : [X(link.source), Y(link.source)];
  const angle = Math.atan2(Y(link.target) - my, X(link.target) - mx);
  const tip = R(link.target) + 1.5;
  const x = X(link.target) - Math.cos(angle) * tip, y = Y(link.target) - Math.sin(angle) * tip;
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 8 * Math.cos(angle - 0.38), y - 8 * Math.sin(angle - 0.38));
  context.lineTo(x - 8 * Math.cos(angle + 0.38), y - 8 * Math.sin(angle + 0.38));
  context.fill();
  context.globalAlpha = 1;
}

function drawNode(node, isClear) {
  if (!node.shown) return;
  const x = X(node), y = Y(node), r = R(node);
  if (x < -r || y < -r || x > width + r || y > height + r) return;
  context.globalAlpha = (node.lit ? 1 : 0.13) * (isClear ? 1 : 0.22);
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = colour(node);
  context.fill();
  if (r > 3) {
    context.lineWidth = 1.2;
    context.strokeStyle = paint.ground;
    context.stroke();
  }
  if (node === state.selected || node === state.hovered) {
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(x, y, r + 3, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = paint.accent;
    context.stroke();
  }
  context.globalAlpha = 1;
}

// Greedy, by rank: who has most facts is named first, and nobody over another.
function drawLabels(only, close) {
  const cells = new Map();
  const taken = (box, keep) => {
    const [x1, y1, x2, y2] = box.map((v) => Math.floor(v / 40));
    const touched = [];
    for (let i = x1; i <= x2; i++) for (let j = y1; j <= y2; j++) {
      const key = `${i} ${j}`;
      for (const other of cells.get(key) || []) {
        if (box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]) return true;
      }
      touched.push(key);
    }
    if (keep) for (const key of touched) cells.set(key, [...(cells.get(key) || []), box]);
    return false;
  };
  for (const place of obstacles()) taken(place, true);
  const order = [...(only || nodes)].filter((n) => n.lit || n === state.selected)
    .sort((a, b) => (b === state.selected) - (a === state.selected) || b.degree - a.degree || a.rank - b.rank);
  const reserve = (n) => taken([X(n) - R(n), Y(n) - R(n), X(n) + R(n), Y(n) + R(n)], true);
  const isCrowd = !only && order.length > 150;
  if (!isCrowd) order.filter(isOnScreen).forEach(reserve);
  const most = Math.min(only ? 120 : 30 + 60 * Math.min(3, view.k), width * height / 6000);
  let drawn = 0;
  for (const node of order) {
    if (drawn >= most) break;
    if (!node.shown || !isOnScreen(node)) continue;
    // In a crowd the circles of those who come after may lie under a name.
    if (isCrowd) reserve(node);
    const big = node === state.selected;
    const size = big ? 15 : Math.min(14, 10.5 + node.degree / 30);
    context.font = `${big || node.degree > 12 ? 600 : 400} ${size}px ${paint.font}`;
    const wide = context.measureText(node.label).width;
    const gap = R(node) + (big ? 8 : 4);
    const place = [
      [X(node) + gap, Y(node)], [X(node) - gap - wide, Y(node)],
      [X(node) - wide / 2, Y(node) + R(node) + 3 + size / 2], [X(node) - wide / 2, Y(node) - R(node) - 3 - size / 2],
    ].find(([x, y]) => x > 2 && x + wide < width - 2 && !taken([x - 1, y - size * 0.6, x + wide + 1, y + size * 0.6], false));
    if (!place && !big) continue;
    const [x, y] = place || [X(node) + gap, Y(node)];
    taken([x - 1, y - size * 0.6, x + wide + 1, y + size * 0.6], true);
    write(node.label, x, y, paint.ink);
    drawn++;
  }
  context.font = `400 11px ${paint.font}`;
  for (const link of close.slice(0, 80)) {
    const text = plain((link.fact.negated ? "not " : "") + link.fact.predicate.replace(/_/g, " "), 30);
    const wide = context.measureText(text).width;
    const [mx, my] = middle(link);
    const x = link.bend ? (mx + (X(link.source) + X(link.target)) / 2) / 2 : mx;
    const y = link.bend ? (my + (Y(link.source) + Y(link.target)) / 2) / 2 : my;
    if (taken([x - wide / 2, y - 7, x + wide / 2, y + 7], true)) continue;
    write(text, x - wide / 2, y, paint.quiet);
  }
}

function isOnScreen(node) {
  return X(node) > -20 && Y(node) > -20 && X(node) < width + 20 && Y(node) < height + 20;
}

function obstacles() {
  const field = canvas.getBoundingClientRect();
  return [$("legend"), $("panel")].filter((e) => !e.hidden && e.offsetParent !== null).map((e) => {
    const box = e.getBoundingClientRect();
    return [box.left - field.left, box.top - field.top, box.right - field.left, box.bottom - field.top];
  });
}

function write(text, x, y, ink) {
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = paint.ground;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

// ------------------------------------------------------------------ layout, in slices that leave the page alive
const simulation = d3.forceSimulation(nodes)
  .force("link", d3.forceLink(links).distance((l) => 26 + l.source.r + l.target.r)
    .strength((l) => 0.75 / Math.min(l.source.degree, l.target.degree)))
  .force("charge", d3.forceManyBody().strength((n) => -28 - 7 * Math.sqrt(n.degree)).theta(1.2).distanceMax(700))
  .force("x", d3.forceX().strength(0.03))
  .force("y", d3.forceY().strength(0.07))
  .stop();
const END = 0.008;
simulation.alphaMin(END).alphaDecay(1 - Math.pow(END, 1 / (nodes.length > 1000 ? 180 : 260)));

let drawnAt = 0;

// The layout gets most of each frame, and is drawn a few times a second.
function slice() {
  const until = performance.now() + 20;
  do simulation.tick(); while (performance.now() < until && simulation.alpha() > END);
  // Nobody needs room of his own before all are near their places, and to give it takes longest.
  if (simulation.alpha() < 0.1 && !simulation.force("collide")) simulation.force("collide", d3.forceCollide((n) => n.r + 2.5));
  const done = simulation.alpha() <= END;
  $("progress").hidden = done;
  $("progress").firstElementChild.style.width = `${100 * Math.log(simulation.alpha()) / Math.log(END)}%`;
  if (done || performance.now() - drawnAt > 150) {
    if (!isMine) fit();
    draw();
    drawnAt = performance.now();
  }
  if (done) document.body.dataset.laidOut = "";
  else setTimeout(slice, 4);
}

// ------------------------------------------------------------------ moving about
const zoom = d3.zoom().scaleExtent([0.02, 10]).on("zoom", (event) => {
  view = event.transform;
  if (event.sourceEvent) isMine = true;
  $("hint").hidden = true;
  redraw();
});
const surface = d3.select(canvas);

function free() {
  const field = canvas.getBoundingClientRect();
  const panel = $("panel").hidden || field.width < 760 ? null : $("panel").getBoundingClientRect();
  return panel ? panel.left - field.left : width;
}

// The whole graph, or whom the page has just gone to with all around him.
function fit() {
  const around = state.followed ? new Set([state.followed, ...state.followed.facts.flatMap((f) => (f.o ? [f.s, f.o] : []))]) : nodes;
  const closest = state.followed ? 1.8 : 1.6;
  const all = [...around].filter((n) => n.shown);
  if (!all.length || !width) return;
  let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const n of all) {
    x1 = Math.min(x1, n.x - n.r); x2 = Math.max(x2, n.x + n.r);
    y1 = Math.min(y1, n.y - n.r); y2 = Math.max(y2, n.y + n.r);
  }
  const room = free();
  const margin = state.followed ? Math.min(300, room / 3) : 90;
  const k = Math.min(closest, (room - margin) / (x2 - x1 + 1), (height - 0.7 * margin) / (y2 - y1 + 1));
  surface.call(zoom.transform, d3.zoomIdentity.translate(room / 2 - k * (x1 + x2) / 2, height / 2 - k * (y1 + y2) / 2).scale(k));
}

function find(x, y) {
  let best = null, least = Infinity;
  for (const n of nodes) {
    if (!n.shown) continue;
    const far = Math.hypot(X(n) - x, Y(n) - y) - R(n);
    if (far < 6 && far < least) [best, least] = [n, far];
  }
  return best;
}

surface
  .call(d3.drag()
    .container(canvas)
    .subject((event) => find(event.x, event.y))
    .on("drag", (event) => {
      [event.subject.x, event.subject.y] = view.invert([event.sourceEvent.offsetX, event.sourceEvent.offsetY]);
      isMine = true;
      redraw();
    }))
  .call(zoom)
  .on("dblclick.zoom", null)
  .on("click", (event) => select(find(event.offsetX, event.offsetY)))
  .on("pointermove", (event) => {
    const node = find(event.offsetX, event.offsetY);
    canvas.classList.toggle("on", Boolean(node));
    hint(node, event.offsetX, event.offsetY);
    if (node !== state.hovered) { state.hovered = node; redraw(); }
  })
  .on("pointerleave", () => { state.hovered = null; hint(null); redraw(); });

function hint(node, x, y) {
  const box = $("hint");
  box.hidden = !node;
  if (!node) return;
  box.replaceChildren(
    isolated(node.name),
    element("small", {}, [node.types.join(", "), count(node.facts.length, "fact")].filter(Boolean).join(" · ")),
  );
  box.style.left = `${Math.min(x + 14, width - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(y + 14, height - box.offsetHeight - 8)}px`;
}

// ------------------------------------------------------------------ text on the page
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return made;
}
const isolated = (text) => element("bdi", {}, text);
const count = (n, what) => `${number(n)} ${what}${n === 1 ? "" : what.endsWith("y") ? "" : "s"}`;
const entities = (n) => `${number(n)} ${n === 1 ? "entity" : "entities"}`;
const dot = (type) => {
  const made = element("i", { class: "dot" });
  made.style.background = paint[`type ${type}`];
  return made;
};

// ------------------------------------------------------------------ one entity
const PAGE = 150;

function select(node, follow = false) {
  state.selected = node;
  if (node) showPanel();
  else $("panel").hidden = true;
  state.followed = node && follow ? node : null;
  if (state.followed) {
    isMine = false;
    fit();
  }
  remember();
  redraw();
}

function showPanel(all = false) {
  const node = state.selected;
  const panel = $("panel");
  const sorted = [...node.facts].sort((a, b) => b.on - a.on || newest(b) - newest(a) || (a.predicate < b.predicate ? -1 : 1));
  const now = sorted.filter((f) => f.on).length;
  panel.hidden = false;
  panel.scrollTop = 0;
  panel.replaceChildren(
    element("h2", {}, isolated(node.name)),
    element("button", { type: "button", class: "close", "aria-label": "Close", title: "Close (Esc)", onclick: () => select(null) }, "×"),
    element("ul", { class: "chips" }, ...node.types.map((t, i) => element("li", {}, dot(i ? "" : t), isolated(t))),
      data.spaces > 1 ? element("li", {}, isolated(node.space)) : null),
    node.aliases.length ? element("p", { class: "quiet" }, "Also called ", ...listed(node.aliases)) : "",
    node.description ? element("p", {}, isolated(node.description)) : "",
    element("h3", {}, state.step === null ? count(node.facts.length, "fact")
      : `${number(now)} of ${count(node.facts.length, "fact")} in ${written(time.steps[state.step], time.unit)}`),
    element("ol", {}, ...sorted.slice(0, all ? sorted.length : PAGE).map((f) => factItem(f, node))),
    !all && sorted.length > PAGE
      ? element("button", { type: "button", class: "more", onclick: () => showPanel(true) }, `Show all ${number(sorted.length)}`)
      : "",
  );
}

function newest(fact) {
  const starts = fact.spans.map(([a]) => a === null ? -Infinity : a);
  return starts.length ? Math.max(...starts) : -Infinity;
}

function listed(texts) {
  return texts.flatMap((t, i) => [i ? ", " : "", isolated(t)]);
}

function factItem(fact, node) {
  const end = (other, text) => other === node ? element("b", {}, isolated(text))
    : other ? element("button", { type: "button", onclick: () => select(other, true) }, isolated(text)) : isolated(text);
  const said = [
    end(fact.s, fact.s.name), " ",
    fact.negated ? element("span", { class: "not" }, "NOT ") : null,
    element("span", { class: "predicate" }, isolated(fact.predicate.replace(/_/g, " "))), " ",
    end(fact.o, fact.o ? fact.o.name : fact.value),
  ].filter(Boolean);
  const isOver = fact.status === "superseded";
  const when = [element("b", {}, fact.period || "undated")];
  if (isOver) when.push(" · superseded", ...(fact.superseded_by ? [" by ", isolated(fact.superseded_by.replace(/_/g, " "))] : []));
  if (fact.weight > 1) when.push(` · said ${number(fact.weight)} times`);
  if (fact.confidence < 1) when.push(` · confidence ${fact.confidence.toFixed(2)}`);
  return element("li", { class: `fact${isOver ? " superseded" : ""}${fact.on ? "" : " off"}` },
    element("div", { class: "said" }, ...(isOver ? [element("s", {}, ...said)] : said)),
    element("div", { class: "when" }, ...when),
    fact.evidence ? element("blockquote", {}, isolated(plain(fact.evidence, 400))) : "",
    fact.documents.length ? element("cite", {}, ...sources(fact)) : "",
  );
}

// The document that is quoted comes first, with its date and place.
function sources(fact) {
  const newestFirst = [...fact.documents].sort((a, b) => (b === fact.document) - (a === fact.document));
  const more = [fact.published, fact.document_source].filter(Boolean);
  return newestFirst.flatMap((key, i) => [
    i ? "; " : "", isolated(nameOf(key)), ...(key === fact.document && more.length ? [" (", ...listed(more), ")"] : []),
  ]);
}

// Of a document that has a source too, the key is both as JSON.
function nameOf(key) {
  try {
    const [source, name] = JSON.parse(key);
    return name ?? source ?? key;
  } catch {
    return key;
  }
}

// ------------------------------------------------------------------ finding by name
const query = $("query"), matches = $("matches");
let matched = [], current = -1;

function search() {
  const wanted = folded(query.value.trim());
  const scored = [];
  for (const node of nodes) {
    const best = Math.min(...[node.key, ...node.aliases.map(folded)].map((name) => {
      const place = name.indexOf(wanted);
      if (place < 0) return 9;
      return name === wanted ? 0 : place === 0 ? 1 : /[\p{L}\p{N}]/u.test(name[place - 1]) ? 3 : 2;
    }));
    if (best < 9) scored.push([best, node]);
  }
  scored.sort((a, b) => a[0] - b[0] || b[1].degree - a[1].degree || a[1].rank - b[1].rank);
  matched = scored.slice(0, 30).map(([, node]) => node);
  current = matched.length ? 0 : -1;
  matches.replaceChildren(...matched.map((node, i) => element("li", {
    role: "option", id: `match-${i}`, "aria-selected": String(i === current),
    onpointerdown: (event) => { event.preventDefault(); choose(i); },
  }, dot(node.type), element("span", { class: "name" }, isolated(node.name)), element("small", {}, count(node.facts.length, "fact")))));
  if (!matched.length) matches.append(element("li", { class: "none" }, "Nothing is called so."));
  open(true);
}

function open(isOpen) {
  matches.hidden = !isOpen;
  query.setAttribute("aria-expanded", String(isOpen));
  if (isOpen && current >= 0) query.setAttribute("aria-activedescendant", `match-${current}`);
  else query.removeAttribute("aria-activedescendant");
}

function step(by) {
  if (!matched.length) return;
  matches.children[current].setAttribute("aria-selected", "false");
  current = (current + by + matched.length) % matched.length;
  matches.children[current].setAttribute("aria-selected", "true");
  matches.children[current].scrollIntoView({ block: "nearest" });
  open(true);
}

function choose(i) {
  if (!matched[i]) return;
  query.value = "";
  open(false);
  query.blur();
  select(matched[i], true);
}

query.addEventListener("input", search);
query.addEventListener("focus", search);
query.addEventListener("blur", () => open(false));
query.addEventListener("keydown", (event) => {
  const keys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => choose(current),
    Escape: () => { query.value = ""; query.blur(); } };
  if (!keys[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  keys[event.key]();
});

document.addEventListener("keydown", (event) => {
  if (event.target === query || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    "/": () => query.focus(), "0": whole, "+": () => closer(1.4), "=": () => closer(1.4), "-": () => closer(1 / 1.4),
    Escape: () => (state.selected ? select(null) : setStep(null)),
    " ": event.target.tagName === "BUTTON" ? null : () => play(),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

function whole() {
  isMine = false;
  state.followed = null;
  fit();
}

function closer(by) {
  isMine = true;
  surface.call(zoom.scaleBy, by, [free() / 2, height / 2]);
}

// ------------------------------------------------------------------ the time slider
const when = $("when");
let timer = null;

function setStep(value) {
  state.step = time ? value : null;
  if (value !== null && time) when.value = value;
  $("always").setAttribute("aria-pressed", String(state.step === null));
  $("track").classList.toggle("always", state.step === null);
  judge();
  drawMoment();
  drawHistogram();
  if (state.selected) showPanel();
  remember();
  redraw();
}

function drawMoment() {
  const moment = $("moment");
  if (!time) moment.replaceChildren("No fact has a date: all hold at any time.");
  else moment.replaceChildren(
    element("b", {}, state.step === null ? "Any time" : `In ${written(time.steps[state.step], time.unit)}`),
    element("small", {}, state.step === null ? `${count(facts.length, "fact")}, past and present` : `${count(holding, "fact")} ${holding === 1 ? "holds" : "hold"}`),
  );
}

// How many dated facts hold at each step.
const curve = time && (() => {
  const change = new Float64Array(time.last + 2);
  const place = (bound) => {
    let [low, high] = [0, time.last];
    while (low < high) {
      const half = (low + high + 1) >> 1;
      if (time.steps[half] <= bound) low = half; else high = half - 1;
    }
    return low;
  };
  for (const f of facts) for (const [a, b] of f.spans) {
    if (a === null && b === null) continue;
    change[a === null ? 0 : place(a)]++;
    if (b !== null) change[Math.min(time.last + 1, place(b - 1) + 1)]--;
  }
  let sum = 0;
  return Array.from(change, (c) => (sum += c)).slice(0, time.last + 1);
})();

function drawHistogram() {
  if (!time) return;
  const box = $("histogram"), area = box.getContext("2d");
  const [w, h] = [box.clientWidth, box.clientHeight];
  box.width = w * ratio; box.height = h * ratio;
  area.setTransform(ratio, 0, 0, ratio, 0, 0);
  const top = Math.max(...curve, 1);
  area.beginPath();
  area.moveTo(0, h);
  curve.forEach((c, i) => area.lineTo(i / Math.max(1, time.last) * w, h - c / top * (h - 2)));
  area.lineTo(w, h);
  area.globalAlpha = 0.22;
  area.fillStyle = paint.accent;
  area.fill();
  if (state.step !== null) {
    area.globalAlpha = 0.9;
    area.fillRect(Math.min(w - 1, state.step / Math.max(1, time.last) * w), 0, 1, h);
  }
}

function play() {
  if (!time) return;
  if (timer) { clearInterval(timer); timer = null; }
  else {
    if (state.step === null || state.step >= time.last) setStep(0);
    const by = Math.max(1, Math.round(time.last / 240));
    timer = setInterval(() => {
      if (state.step === null || state.step >= time.last) return play();
      setStep(Math.min(time.last, state.step + by));
    }, 60);
  }
  $("play").textContent = timer ? "❚❚" : "▶";
}

// ------------------------------------------------------------------ the legend
function drawLegend() {
  const shown = TYPES.slice(0, 10);
  $("legend").replaceChildren(
    ...shown.map(([type, n]) => element("button", {
      type: "button", "aria-pressed": String(!state.hidden.has(type)), title: "Show or hide",
      onclick: () => {
        if (!state.hidden.delete(type)) state.hidden.add(type);
        judge();
        drawLegend();
        redraw();
      },
    }, dot(type), type ? isolated(type) : element("bdi", {}, "no type"), element("small", {}, number(n)))),
    TYPES.length > shown.length ? element("div", { class: "key" }, `and ${number(TYPES.length - shown.length)} more types`) : "",
    element("div", { class: "key" }, element("i"), "fact"),
    facts.some((f) => f.status === "superseded") ? element("div", { class: "key was" }, element("i"), "superseded fact") : "",
    facts.some((f) => f.negated) ? element("div", { class: "key not" }, element("i"), "denied fact") : "",
  );
}

// ------------------------------------------------------------------ a link to what is shown: #e12@2016-04
function remember() {
  const hash = (state.selected ? state.selected.id : "") + (state.step === null ? "" : `@${written(time.steps[state.step], time.unit)}`);
  try {
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  } catch {
    // some browsers refuse it to a file
  }
}

function recall() {
  const [id, moment] = decodeURIComponent(location.hash.slice(1)).split("@");
  if (moment && time) {
    const found = time.steps.findIndex((s) => written(s, time.unit).startsWith(moment));
    if (found >= 0) setStep(Math.min(found, time.last));
  }
  if (byId.has(id)) select(byId.get(id), true);
}

// ------------------------------------------------------------------ begin
function resize() {
  const box = $("graph").parentElement.getBoundingClientRect();
  [width, height, ratio] = [box.width, box.height, Math.min(2, window.devicePixelRatio || 1)];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  if (!isMine) fit();
  drawHistogram();
  draw();
}

function begin() {
  const left = data.notes;
  document.title = `${data.notes.realm} · graphrag`;
  $("realm").textContent = data.notes.realm;
  const asked = left.request || {};
  $("counts").replaceChildren(
    `${entities(nodes.length)}, ${count(facts.length, "fact")}`,
    ...[["around", asked.entity && `around ${asked.entity}`], ["as_of", asked.as_of && `as of ${asked.as_of}`],
      ["believed", asked.as_believed_at && `as believed at ${asked.as_believed_at}`]]
      .filter(([, text]) => text).flatMap(([, text]) => [" · ", isolated(text)]),
    ...(left.entities_left_out ? [" · ", element("b", {},
      `left out: ${entities(left.entities_left_out)} with the fewest facts, and ${count(left.relations_left_out, "fact")}`)] : []),
  );
  judge();
  if (time) {
    when.max = time.last;
    when.value = time.last;
    const [from, to] = $("ends").children;
    from.textContent = written(time.steps[0], time.unit);
    to.textContent = written(time.steps[time.last], time.unit);
  } else {
    document.querySelector("footer").className = "undated";
  }
  drawMoment();
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  when.addEventListener("input", () => setStep(Number(when.value)));
  $("always").addEventListener("click", () => setStep(state.step === null ? Number(when.value) : null));
  $("play").addEventListener("click", play);
  $("whole").addEventListener("click", whole);
  $("closer").addEventListener("click", () => closer(1.4));
  $("farther").addEventListener("click", () => closer(1 / 1.4));
  $("theme").addEventListener("click", () => setTheme(state.theme === "dark" ? "light" : "dark"));
  window.addEventListener("hashchange", recall);
  new ResizeObserver(resize).observe(canvas.parentElement);
  resize();
  recall();
  $("progress").hidden = false;
  slice();
}

begin();
})();
