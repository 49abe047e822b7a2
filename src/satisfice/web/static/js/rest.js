// Failures, who works, what the answer rests on, what was measured, and how to verify.

import { el, plainTable } from "./dom.js";
import { counted, duration, whole } from "./format.js";

const note = (text) => el("p", { class: "note" }, text);
const list = (texts) => el("ul", {}, texts.map((one) => el("li", {}, one)));

export function workPart(model, ofFile) {
  const { now } = model;
  const parts = [el("h3", {}, "Failures")];
  if (now.failures.length) {
    parts.push(plainTable(["configuration", "reason", "times"], now.failures.map(([config, reason, times]) => [config, reason, whole(times)]), [2]));
    if (now.more_failures > now.failures.reduce((sum, one) => sum + one[2], 0)) parts.push(note(`${counted(now.more_failures, "failure")} in all; export has each.`));
  } else parts.push(note("None."));
  const { held, outstanding, lost, reissued, released, late } = now.counts;
  parts.push(el("h3", {}, "Waiting"), note(held ? `${counted(held, "result")} came early and wait for one that was asked before.` : "No result waits for an earlier one."));
  if (reissued || lost || released || late) {
    parts.push(note(`${counted(reissued, "evaluation")} given out again, ${whole(lost)} lost with their workers, ${whole(released)} given back, ${whole(late)} told after the verdict.`));
  }
  parts.push(el("h3", {}, "Workers and leases"));
  if (now.workers.length) {
    const age = (since) => (ofFile ? new Date(since * 1000).toISOString().slice(0, 19).replace("T", " ") : duration(Date.now() / 1000 - since));
    const rows = now.workers.map((one) => [one.config, whole(one.number), one.worker, age(one.since), duration(one.lease)]);
    parts.push(plainTable(["configuration", "ask", "worker", ofFile ? "since (UTC)" : "for", "lease"], rows, [1]));
    if (outstanding > now.workers.length) parts.push(note(`${whole(outstanding - now.workers.length)} more are under way.`));
    parts.push(note("A worker that is silent for longer than its lease is taken for lost, and somebody else is given its evaluation."));
  } else parts.push(note("Nothing is being evaluated now."));
  return parts;
}

export function restsPart(model) {
  const { now, fixed } = model;
  const checks = now.checks || [];
  const more = (now.more_checks || 0) - checks.length;
  const warnings = now.warnings || [];
  return [
    el("p", {}, fixed.asked),
    el("ul", { class: "limits" }, fixed.thresholds.map((one) => el("li", {}, el("code", {}, one)))),
    note(`${fixed.rules}.`),
    fixed.costs ? el("p", {}, "An evaluation costs ", el("code", {}, fixed.costs), ".") : null,
    el("h3", {}, "Assumptions"), list(now.assumptions || []),
    warnings.length ? [el("h3", {}, "Warnings"), list(warnings.map((one) => `⚠ ${one}`))] : null,
    el("h3", {}, "Checks of the results"),
    checks.length ? plainTable(["configuration", "metric", "what is odd", "what to do"], checks.map(([config, metric, , words, advice]) => [config, metric, `It ${words}.`, `${advice}.`])) : note("Nothing is odd about them."),
    more > 0 ? note(`${whole(more)} more; --json has all.`) : null,
  ];
}

export function measuredPart(model) {
  const rows = model.fixed.subject;
  if (!rows.length) return [note("Nothing was recorded about it: evaluations come from a function, or from whoever tells results.")];
  return [el("dl", { class: "facts" }, rows.flatMap(([what, text]) => [el("dt", {}, what), el("dd", {}, text)]))];
}

export function sealPart(model) {
  const { now, fixed } = model;
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const command = `satisfice verify ${quoted(fixed.storage)} --name ${quoted(fixed.name)} --head ${now.seal.slice(0, 16)}`;
  return [
    el("p", {}, "Every event of the log is sealed with all that came before it. The seal of the last one covers this whole page:"),
    el("p", {}, el("code", { class: "seal" }, now.seal)),
    el("p", {}, "Note it elsewhere. This computes the verdict again from the log alone, and says whether the log still has that seal:"),
    el("pre", { tabindex: "0" }, el("code", {}, command)),
    note(`Event ${whole(model.position)} of the log. Created ${fixed.created}${now.last_told ? `, last result ${now.last_told}` : ""}, satisfice ${fixed.version}.`),
  ];
}
