// Numbers for people: as many digits as are known.

const DECISIONS = ["open", "pass", "fail"];

export function kindOf(decision) {
  return DECISIONS[decision];
}

export function whole(number) {
  return Math.round(number).toLocaleString("en-US");
}

function fixedTo(number, decimals) {
  const places = Math.min(12, Math.max(0, decimals));
  const text = number.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  return /[1-9]/.test(text) ? text : "0";
}

/** With that many digits, more only before the point: 0.0123, 98.8, 12,346. */
export function compact(number, digits = 3) {
  if (number === null || number === undefined) return "-";
  if (Math.abs(number) < 1e-12) return "0";
  return fixedTo(number, digits - 1 - Math.floor(Math.log10(Math.abs(number))));
}

/** An estimate with its interval, in as many digits as its width leaves a meaning; an end that is null is infinite. */
export function withInterval(mean, low, high) {
  if (low === null || high === null) return compact(mean);
  const decimals = high > low ? 1 - Math.floor(Math.log10(high - low)) : 3;
  const dash = low >= 0 ? "–" : " to ";
  return `${fixedTo(mean, decimals)} (${fixedTo(low, decimals)}${dash}${fixedTo(high, decimals)})`;
}

export function percentOf(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

export function counted(number, what) {
  return `${whole(number)} ${what}${number === 1 ? "" : "s"}`;
}

/** A time in the two units that matter. */
export function duration(seconds) {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const rounded = Math.round(seconds);
  for (const [big, small, size, part] of [["d", "h", 86400, 3600], ["h", "min", 3600, 60], ["min", "s", 60, 1]]) {
    if (rounded >= size) {
      const rest = Math.floor((rounded % size) / part);
      return `${Math.floor(rounded / size)} ${big}${rest ? ` ${rest} ${small}` : ""}`;
    }
  }
  return `${rounded} s`;
}

/** Round numbers between two numbers. */
export function roundTicks(low, high, most = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough * (1 - 1e-12));
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place <= Math.floor(high / step + 1e-9); place += 1) {
    found.push(Number((place * step).toPrecision(12)));
  }
  return found;
}
