// The answer with its condition in words, and how far the study is.

import { el } from "./dom.js";
import { compact, counted, whole } from "./format.js";

const OUTCOMES = { FOUND: ["pass", "✓"], NONE: ["fail", "✗"], UNDECIDED: ["open", "…"] };

function tile(label, value, beside, extra) {
  const words = [el("dt", {}, label), el("dd", { class: "value" }, value), beside ? el("dd", { class: "beside" }, beside) : null];
  return el("div", { class: "tile" }, words, extra ? el("dd", { class: "extra" }, extra) : null);
}

function meter(done, most, words) {
  const share = Math.min(1, most > 0 ? done / most : 0);
  const fill = el("span", { class: "fill" });
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  return el("span", { class: "meter", role: "img", "aria-label": words }, fill);
}

function evaluationsTile(now) {
  const { folded, told, held, late } = now.counts;
  const beside = [];
  if (now.max_evaluations) beside.push(`of at most ${whole(now.max_evaluations)}`);
  if (held) beside.push(`${whole(held)} wait for an earlier one`);
  if (late) beside.push(`${whole(late)} came after the verdict`);
  const bar = now.max_evaluations
    ? meter(told, now.max_evaluations, `${whole(told)} of at most ${whole(now.max_evaluations)}`)
    : null;
  return tile("evaluations", whole(folded), beside.join(", "), bar);
}

function forecastTile(now) {
  if (now.outcome !== "UNDECIDED") return null;
  const left = now.forecast;
  if (!left) return tile("still to go", "too early to say", "more results are needed");
  const cost = left.cost === null || left.cost === undefined ? "" : `, cost about ${compact(left.cost)}`;
  const most = left.high ? `half of such studies need less, nine in ten at most ${whole(left.high)}${cost}` : `at present estimates${cost}`;
  return tile("still to go", `about ${whole(left.evaluations)}`, most);
}

function costTile(now) {
  if (!now.cost) return null;
  const { spent, most, metric } = now.cost;
  const bar = most ? meter(spent, most, now.cost.text) : null;
  return tile("cost", `${compact(spent, 4)}${metric ? ` ${metric}` : ""}`, most ? `of at most ${compact(most, 4)}` : "", bar);
}

function decidedTile(now, all) {
  const { passes, fails, open, untouched } = now.decided;
  const parts = [["pass", passes, "✓", "pass"], ["open", open, "●", "open"], ["fail", fails, "✗", "fail"], ["none", untouched, "○", "not evaluated"]];
  const bar = el("span", { class: "stack", "aria-hidden": "true" });
  for (const [kind, count] of parts) {
    const piece = el("span", { class: kind });
    piece.style.flexGrow = String(count);
    if (count) bar.append(piece);
  }
  const words = parts.filter(([, count]) => count).map(([kind, count, sign, word]) =>
    el("span", { class: `count ${kind}` }, el("span", { "aria-hidden": "true" }, `${sign} `), `${whole(count)} ${word}`));
  return tile("configurations", whole(all), null, [bar, el("span", { class: "counts" }, words)]);
}

function trouble(now) {
  const lines = [];
  if (now.trouble) lines.push(`The storage cannot be read: ${now.trouble}`);
  if (now.stopped) lines.push(`Stopped: ${now.stopped}`);
  return lines.map((line) => el("p", { class: "alarm", role: "alert" }, el("span", { "aria-hidden": "true" }, "⚠ "), line));
}

export function verdictPart(model) {
  const { now, fixed } = model;
  const [kind, sign] = OUTCOMES[now.outcome];
  const badge = el("span", { class: `badge ${kind}` }, el("span", { "aria-hidden": "true" }, `${sign} `), now.outcome);
  const heading = el("h1", {}, badge, " ", el("span", { class: "named" }, now.named));
  const lines = [el("p", { class: "name" }, fixed.name), heading];
  if (now.closest) lines.push(el("p", { class: "closest" }, "closest: ", el("b", {}, now.closest)));
  lines.push(el("p", { class: "certainty" }, now.certainty));
  lines.push(el("p", { class: "asked" }, fixed.thresholds.map((one) => el("code", {}, one))));
  const running = now.workers.length
    ? tile("running now", whole(now.counts.outstanding), counted(new Set(now.workers.map((one) => one.worker)).size, "worker"))
    : null;
  const failed = now.counts.failed ? tile("failed", whole(now.counts.failed), "see below") : null;
  const tiles = [evaluationsTile(now), forecastTile(now), costTile(now), decidedTile(now, model.names.length), running, failed];
  return [...lines, ...trouble(now), el("dl", { class: "tiles" }, tiles)];
}
