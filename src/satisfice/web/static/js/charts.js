// Pictures over time with uPlot, in the colours of the page.

import { draw, el } from "./dom.js";
import { compact, counted, kindOf, percentOf, roundTicks, whole } from "./format.js";
import { positionOn } from "./track.js";

const DASHES = [[], [8, 4], [2, 4], [10, 4, 2, 4], [16, 5], [4, 3], [12, 3, 3, 3, 3, 3], [1, 3]];
const HEIGHT = 260;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function axis(more) {
  return { stroke: colour("faint"), grid: { stroke: colour("rule"), width: 1 }, ticks: { stroke: colour("rule"), size: 4 }, font: "12px system-ui, sans-serif", ...more };
}

function plotIn(box, options, data) {
  const width = Math.max(200, box.clientWidth);
  const plot = new uPlot({ width, height: HEIGHT, legend: { show: false }, cursor: { y: false, drag: { x: true, y: false } }, ...options }, data, box);
  const watch = new ResizeObserver(() => {
    const now = Math.max(200, box.clientWidth);
    if (box.isConnected && now !== plot.width) plot.setSize({ width: now, height: HEIGHT });
  });
  watch.observe(box);
  return { destroy() { watch.disconnect(); plot.destroy(); } };
}

/** The lines on one set of moments: what a configuration came to last stays until it is evaluated again. */
function aligned(history) {
  const moments = [0, ...history.samples];
  const lines = history.lines.map(({ points }) => {
    const found = new Map(points.map(([at, share]) => [at, share]));
    const first = points[0][0];
    let last = 0;
    return moments.map((at) => {
      if (found.has(at)) last = found.get(at);
      return at < first ? (at === 0 ? 0 : null) : last;
    });
  });
  return [moments, ...lines];
}

export class EvidenceChart {
  constructor(model, choose) {
    this.model = model;
    this.choose = choose;
    this.box = el("div", { class: "plot", role: "img" });
    this.legend = el("ul", { class: "legend" });
    this.note = el("p", { class: "note" });
    this.node = el("div", { class: "withlegend" }, this.box, this.legend, this.note);
  }

  draw() {
    const { history, names, rows } = this.model;
    this.plot?.destroy();
    this.plot = null;
    const lines = history?.lines || [];
    this.note.textContent = !lines.length ? "No results yet." : history.complete ? "The configurations that were evaluated most." :
      `The log is being read: event ${whole(this.model.now.read[0])} of ${whole(this.model.now.read[1])}.`;
    this.box.hidden = !lines.length;
    if (!lines.length) return;
    const kinds = lines.map(({ at }) => kindOf(rows[at][1]));
    const words = lines.map(({ at, points }) => `${names[at].slice(0, 60)} ${percentOf(Math.abs(points.at(-1)[1]))} ${points.at(-1)[1] < 0 ? "against" : "for"}`);
    this.box.setAttribute("aria-label", `Evidence over evaluations: ${words.join("; ")}`);
    const options = {
      scales: { x: { time: false }, y: { range: [-1.05, 1.05] } },
      axes: [
        axis({ values: (_, ticks) => ticks.map(whole), label: "evaluations of the whole study", labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 30 }),
        axis({ size: 58, splits: () => [-1, -0.5, 0, 0.5, 1], values: () => ["fails", "50 %", "0", "50 %", "passes"] }),
      ],
      series: [{}, ...lines.map((_, place) => ({ stroke: colour(kinds[place]), width: 2, dash: DASHES[place], points: { show: false }, spanGaps: true }))],
    };
    this.plot = plotIn(this.box, options, aligned(history));
    this.legend.replaceChildren(...lines.map(({ at, points }, place) => {
      const swatch = draw("svg", { width: 34, height: 10, "aria-hidden": "true" },
        draw("line", { x1: 0, x2: 34, y1: 5, y2: 5, class: `line ${kinds[place]}`, "stroke-dasharray": DASHES[place].join(" ") }));
      const button = el("button", { type: "button", title: names[at], on: { click: () => this.choose(at, true) } }, swatch, el("span", {}, names[at]));
      return el("li", {}, button, el("span", { class: "share" }, `${percentOf(Math.abs(points.at(-1)[1]))} ${points.at(-1)[1] < 0 ? "against" : "for"}`));
    }));
  }
}

/** Where evaluations went: how many each configuration had, and when. */
export function spentPart(model, most = 10) {
  const { rows, names, history } = model;
  const some = [];
  let total = 0;
  for (let place = 0; place < rows.length; place += 1) {
    total += rows[place][0];
    if (rows[place][0]) some.push(place);
  }
  some.sort((a, b) => rows[b][0] - rows[a][0] || a - b);
  const shown = some.slice(0, most);
  const largest = shown.length ? rows[shown[0]][0] : 1;
  const lines = new Map((history?.lines || []).map((line) => [line.at, line.points]));
  const end = history?.samples?.at(-1) || 1;
  const items = shown.map((place) => {
    const bar = el("span", { class: `barfill ${kindOf(rows[place][1])}` });
    bar.style.width = `${(100 * rows[place][0]) / largest}%`;
    const when = lines.has(place) ? whenStrip(lines.get(place), end) : null;
    return el("li", {}, el("span", { class: "label", title: names[place] }, names[place]), el("span", { class: "bartrack" }, bar, when),
      el("span", { class: "number" }, `${whole(rows[place][0])} · ${percentOf(rows[place][0] / total)}`));
  });
  const rest = some.slice(most).reduce((sum, place) => sum + rows[place][0], 0);
  const more = some.length > most ? el("p", { class: "note" }, `${counted(some.length - most, "other configuration")} had ${whole(rest)} together.`) : null;
  const legend = shown.length ? el("p", { class: "note" }, "Below each bar: when they were made, from the first evaluation of the study to the last.") : el("p", { class: "note" }, "No results yet.");
  return [el("ol", { class: "bars" }, items), more, legend];
}

function whenStrip(points, end, cells = 48) {
  const counts = new Array(cells).fill(0);
  let before = [0, 0, 0];
  for (const point of points) {
    const from = before[0] / end;
    const to = point[0] / end;
    const first = Math.min(cells - 1, Math.floor(from * cells));
    const last = Math.max(first, Math.min(cells - 1, Math.ceil(to * cells) - 1));
    for (let cell = first; cell <= last; cell += 1) counts[cell] += (point[2] - before[2]) / (last - first + 1);
    before = point;
  }
  const largest = Math.max(...counts, 1e-9);
  const parts = counts.map((count, cell) => (count > 0 ? draw("rect", { x: `${(100 * cell) / cells}%`, width: `${100 / cells + 0.2}%`, height: "100%", opacity: (0.15 + 0.85 * (count / largest)).toFixed(2) }) : null));
  return draw("svg", { class: "when", height: 6, "aria-hidden": "true" }, parts);
}

/** The raw results of one stream in the order of asking, with the limit. */
export function resultsChart(box, stream) {
  const xs = stream.values.map((_, place) => place * stream.every + 1);
  const known = stream.values.filter((one) => one !== null);
  const low = Math.min(...known, stream.limit);
  const high = Math.max(...known, stream.limit);
  const room = 0.06 * (high - low || Math.abs(high) || 1);
  const limit = (plot) => {
    const context = plot.ctx;
    const y = plot.valToPos(stream.limit, "y", true);
    context.save();
    context.fillStyle = colour("band");
    const { left, top, width, height } = plot.bbox;
    if (stream.at_most) context.fillRect(left, y, width, Math.max(0, top + height - y));
    else context.fillRect(left, top, width, Math.max(0, y - top));
    context.strokeStyle = colour("ink");
    context.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    context.lineWidth = devicePixelRatio;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
    context.restore();
  };
  const options = {
    scales: { x: { time: false, range: [0, Math.max(2, stream.count + 1)] }, y: { range: [low - room, high + room] } },
    axes: [axis({ values: (_, ticks) => ticks.map((one) => (Number.isInteger(one) ? whole(one) : "")), label: "evaluation of this configuration, as asked", labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 30 }),
      axis({ size: 62, values: (_, ticks) => ticks.map((one) => one.toLocaleString("en-US", { maximumSignificantDigits: 6 })) })],
    series: [{}, { stroke: colour("open"), paths: () => null, points: { show: true, size: stream.count > 400 ? 3 : 5, fill: colour("open"), width: 0 } }],
    hooks: { drawClear: [limit] },
  };
  return plotIn(box, options, [xs, stream.values]);
}

function barsOf(told) {
  if (!told) return [];
  const { at, start, width, counts } = told;
  return counts.map((count, place) => {
    const from = at ? at[place] - width / 2 : start + place * width;
    return [from, from + width, count];
  });
}

/** How often which results came, with the limit on the same scale. */
export function histogramOf(stream) {
  const { limit } = stream;
  const bars = barsOf(stream.bars);
  if (!bars.length) return el("p", { class: "note" }, "No results yet.");
  const least = Math.min(bars[0][0], limit);
  const largest = Math.max(bars.at(-1)[1], limit);
  const scale = { low: least - 0.03 * (largest - least), high: largest + 0.03 * (largest - least) };
  const most = Math.max(...bars.map(([, , count]) => count));
  const drawn = bars.map(([from, to, count]) => {
    const start = positionOn(scale, from);
    const wide = Math.max(0.004, positionOn(scale, to) - start);
    const tall = 118 * (count / most);
    return draw("rect", { x: `${100 * start}%`, width: `${100 * wide}%`, y: 122 - tall, height: tall, class: "bin" });
  });
  const ticks = roundTicks(scale.low, scale.high, 5).map((value) => draw("text", { x: `${100 * positionOn(scale, value)}%`, y: 138, class: "tick", "text-anchor": "middle" }, value.toLocaleString("en-US", { maximumSignificantDigits: 6 })));
  const at = 100 * positionOn(scale, limit);
  const [passing, width] = stream.at_most ? [0, at] : [at, 100 - at];
  const ground = [
    draw("rect", { x: `${passing}%`, width: `${width}%`, y: 0, height: 122, class: "band" }),
    draw("line", { x1: `${at}%`, x2: `${at}%`, y1: 0, y2: 122, class: "limit" }),
  ];
  const words = `Histogram of ${whole(stream.count)} results from ${compact(bars[0][0])} to ${compact(bars.at(-1)[1])}, limit ${compact(limit)}`;
  return draw("svg", { class: "histogram", height: 144, role: "img", "aria-label": words }, ground, drawn, ticks);
}
