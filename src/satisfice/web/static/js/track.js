// Intervals against a limit. Lengths are shares of the width, so that letters and marks keep their size.

import { draw } from "./dom.js";

const MARKS = { pass: "M-5,0 0,-5 5,0 0,5Z", fail: "M-4,-4 4,4M-4,4 4,-4", open: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0" };
const MIDDLE = 10;

export function positionOn(scale, value) {
  return (Math.min(Math.max(value, scale.low), scale.high) - scale.low) / (scale.high - scale.low);
}

function share(position) {
  return `${(100 * position).toFixed(2)}%`;
}

function passing(limit, scale, tolerance) {
  return limit.at_most
    ? [0, positionOn(scale, limit.limit + tolerance)]
    : [positionOn(scale, limit.limit - tolerance), 1];
}

function shaded(kind, [start, end]) {
  return draw("rect", { x: share(start), width: share(Math.max(0, end - start)), height: "100%", class: kind });
}

/** What passes is shaded, what passes by the tolerance alone less so, and the limit is a dashed line. */
export function limitBackground(limit, scale) {
  const at = share(positionOn(scale, limit.limit));
  return [
    shaded("within", passing(limit, scale, limit.tolerance)),
    shaded("band", passing(limit, scale, 0)),
    draw("line", { x1: at, x2: at, y1: "0", y2: "100%", class: "limit" }),
  ];
}

function placed(position, body) {
  return draw("svg", { x: share(position), y: MIDDLE, overflow: "visible" }, body);
}

/** One configuration on the scale of a limit: interval, estimate, and arrows where the interval goes on. */
export function trackOf(limit, scale, mean, low, high, kind, words) {
  const parts = limitBackground(limit, scale);
  const cutLow = low === null || low < scale.low;
  const cutHigh = high === null || high > scale.high;
  const start = low === null ? 0 : positionOn(scale, low);
  const end = high === null ? 1 : positionOn(scale, high);
  parts.push(draw("line", { x1: share(start), x2: share(end), y1: MIDDLE, y2: MIDDLE, class: `whisker ${kind}` }));
  if (cutLow) parts.push(placed(0, draw("path", { d: "M7,-4 1,0 7,4", class: `arrow ${kind}` })));
  if (cutHigh) parts.push(placed(1, draw("path", { d: "M-7,-4 -1,0 -7,4", class: `arrow ${kind}` })));
  parts.push(placed(positionOn(scale, mean), draw("path", { d: MARKS[kind], class: `mark ${kind}` })));
  const beyond = cutLow && cutHigh ? ", beyond both ends of the axis" : cutLow || cutHigh ? ", beyond the axis" : "";
  return draw("svg", { class: "track", height: 20, role: "img", "aria-label": words + beyond }, parts);
}

/** The round numbers of a scale. */
export function axisOf(scale) {
  const parts = scale.ticks.flatMap((value) => {
    const position = positionOn(scale, value);
    const anchor = position < 0.08 ? "start" : position > 0.92 ? "end" : "middle";
    const text = Number(value.toPrecision(10)).toLocaleString("en-US", { maximumFractionDigits: 10 });
    return [
      draw("line", { x1: share(position), x2: share(position), y1: "0", y2: "4", class: "tick" }),
      draw("text", { x: share(position), y: 16, "text-anchor": anchor, class: "tick" }, text),
    ];
  });
  return draw("svg", { class: "axis", height: 18, "aria-hidden": "true" }, parts);
}
