// The answer with its condition in words, and how far the study is.

import { el } from "./dom.js";
import { compact, counted, percentOf, whole } from "./format.js";

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
  if (!left) return tile("forecast", "too early to say", "more results are needed");
  if (!left.runs) return tile("forecast", `about ${whole(left.at + left.evaluations)}`, "evaluations in all, at the present estimates");
  const cut = `more than ${whole(left.at + left.limit)}`;
  const most = left.evaluations_90 === null ? cut : `at most ${whole(left.at + left.evaluations_90)}`;
  const dear = left.cost_90 === null ? "" : `, at most ${compact(left.spent + left.cost_90)}`;
  const money = left.cost === null ? "" : `; cost about ${compact(left.spent + left.cost)}${dear}`;
  const ends = [[left.found, "FOUND"], [left.none, "NONE"]].filter(([share]) => share).map(([share, what]) => `${what} ${percentOf(share)}`);
  if (left.within !== null) ends.push(`within the budget ${percentOf(left.within)}`);
  const runs = el("span", { class: "counts" }, `${left.runs} simulated runs: ${ends.join(", ") || "no verdict"}`);
  if (left.evaluations === null) return tile("forecast", cut, "evaluations in all, at the present estimates", runs);
  return tile("forecast", `about ${whole(left.at + left.evaluations)}`, `evaluations in all, nine in ten times ${most}${money}; at the present estimates`, runs);
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
  for (const hint of now.hints) lines.push(el("p", { class: "hint" }, `hint: ${hint}`));
  lines.push(el("p", { class: "certainty" }, now.certainty));
  lines.push(el("p", { class: "asked" }, fixed.thresholds.map((one) => el("code", {}, one))));
  const running = now.workers.length
    ? tile("running now", whole(now.counts.outstanding), counted(new Set(now.workers.map((one) => one.worker)).size, "worker"))
    : null;
  const failed = now.counts.failed ? tile("failed", whole(now.counts.failed), "see below") : null;
  const tiles = [evaluationsTile(now), forecastTile(now), costTile(now), decidedTile(now, model.names.length), running, failed];
  return [...lines, ...trouble(now), el("dl", { class: "tiles" }, tiles)];
}
