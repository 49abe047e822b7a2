// Intervals against a limit. Lengths are shares of the width, so that letters and marks keep their size.

import { draw } from "./dom.js";

export function positionOn(scale, value) {
  return (Math.min(Math.max(value, scale.low), scale.high) - scale.low) / (scale.high - scale.low);
}

function share(position) {
  return `${(100 * position).toFixed(1)}%`;
}

/** The background of tracks: what passes is shaded, what passes by the tolerance alone less so, the limit dashed. */
export function groundOf(limit, scale) {
  const at = share(positionOn(scale, limit.limit));
  const edge = share(positionOn(scale, limit.limit + (limit.at_most ? limit.tolerance : -limit.tolerance)));
  const stops = limit.at_most ? [at, edge] : [edge, at];
  const shades = ["var(--band)", "var(--within)", "transparent"];
  const [first, second, third] = limit.at_most ? shades : shades.reverse();
  const passing = `linear-gradient(to right,${first} ${stops[0]},${second} ${stops[0]} ${stops[1]},${third} ${stops[1]})`;
  return `repeating-linear-gradient(var(--ink) 0 3px,transparent 3px 5.5px) ${at} 0/1.2px 100% no-repeat,${passing}`;
}

function mark(kind, position) {
  return draw("use", { href: `#mark-${kind}`, x: share(position) });
}

/** One configuration on the scale of a limit: interval, estimate, and arrows where the interval goes on. */
export function trackOf(scale, mean, low, high, kind) {
  const start = low === null ? 0 : positionOn(scale, low);
  const end = high === null ? 1 : positionOn(scale, high);
  const parts = [draw("line", { x1: share(start), x2: share(end) })];
  if (low === null || low < scale.low) parts.push(mark("left", 0));
  if (high === null || high > scale.high) parts.push(mark("right", 1));
  parts.push(mark(kind, positionOn(scale, mean)));
  return draw("svg", { class: `track ${kind}`, "aria-hidden": "true" }, parts);
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
