// One configuration: why it is where it is, its raw results in the order of asking, and what is odd about them.

import { el, plainTable } from "./dom.js";
import { compact, whole } from "./format.js";
import { histogramOf, resultsChart } from "./charts.js";

const MEANS = {
  skew: "0 is symmetric, above 0 the long tail is to the right",
  drift: "how much later results differ from earlier ones, in standard deviations, from first to last",
  lag: "how much a result says about the next one; 0 is nothing",
};

function shapeRow(stream) {
  const number = (value) => (value === null ? "–" : compact(value, 3));
  return [stream.label, whole(stream.count), number(stream.mean), number(stream.sd), number(stream.skew), number(stream.drift), number(stream.lag)];
}

export class Detail {
  constructor(load) {
    this.load = load;
    this.plots = [];
    this.node = el("div", {}, el("p", { class: "note" }, "Choose a configuration in the table."));
  }

  async show(place) {
    this.place = place;
    const found = await this.load(place);
    if (this.place !== place) return;
    if (!found) {
      this.node.replaceChildren(el("p", { class: "note" }, "The raw results of this one are not here; satisfice export has all."));
      return;
    }
    this.draw(found);
  }

  draw(found) {
    this.found = found;
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    const facts = el("dl", { class: "facts" }, found.parameters.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]),
      found.spent === null ? [] : [el("dt", {}, "cost so far"), el("dd", {}, compact(found.spent, 4))]);
    const figures = found.streams.map((stream) => {
      const box = el("div", { class: "plot", role: "img", "aria-label": `Results of ${stream.label} in the order of asking` });
      const thinned = stream.every > 1 ? ` Every ${stream.every}th of ${whole(stream.count)} results is drawn; the histogram has all.` : "";
      const figure = el("figure", {}, el("figcaption", {}, el("b", {}, stream.label), `, where ${stream.words}.${thinned}`), el("div", { class: "pair" }, box, histogramOf(stream)));
      return { figure, box, stream };
    });
    const checks = found.checks.length
      ? plainTable(["metric", "check", "what is odd", "what to do"], found.checks.map(([metric, kind, words, advice]) => [metric, kind, `It ${words}.`, `${advice}.`]))
      : el("p", { class: "note" }, "The checks find nothing odd about these results.");
    const shapes = found.streams.some((one) => one.count)
      ? plainTable(["results of", "number", "mean", "sd", "skew", "drift", "autocorrelation"], found.streams.map(shapeRow), [1, 2, 3, 4, 5, 6])
      : null;
    const legend = el("p", { class: "note" }, `Skew: ${MEANS.skew}. Drift: ${MEANS.drift}. Autocorrelation: ${MEANS.lag}.`);
    const unread = found.complete === false ? el("p", { class: "note" }, "The log is still being read: more results follow.") : null;
    this.node.replaceChildren(el("h3", { id: "which", tabindex: "-1" }, found.name), el("p", { class: "why" }, found.why), facts, unread || "", ...figures.map(({ figure }) => figure), shapes || "", checks, legend);
    for (const { box, stream } of figures) if (stream.values.some((one) => one !== null)) this.plots.push(resultsChart(box, stream));
  }

  redraw() {
    if (this.found) this.draw(this.found);
  }
}

