// What the page knows of a study: a snapshot, and what changed since.

export const FIELDS = 5; // of each limit in a row: estimate, low, high, evidence for, evidence against
export const FIRST = 3; // after evaluations, decision, running
const UNTOUCHED = [0, 0, 0];

export class Model {
  constructor(snapshot) {
    this.fixed = snapshot;
    this.names = snapshot.names;
    this.limits = snapshot.limits;
    this.now = snapshot.now;
    this.history = snapshot.history;
    this.position = snapshot.position;
    this.rows = new Array(this.names.length).fill(UNTOUCHED);
    this.version = 0;
    this.take(snapshot.at, snapshot.rows);
  }

  /** Take in a change; what it was about. To take in the same twice changes nothing. */
  apply(delta) {
    this.position = delta.position;
    if (delta.now) this.now = { ...this.now, ...delta.now };
    if (delta.history) this.history = delta.history;
    if (delta.at) this.take(delta.at, delta.rows);
    return { rows: delta.at || [], now: delta.now || {}, history: Boolean(delta.history) };
  }

  take(places, rows) {
    for (let index = 0; index < places.length; index += 1) this.rows[places[index]] = rows[index];
    this.version += 1;
  }

  /** Whether estimates of a configuration are there. */
  isKnown(place) {
    return this.rows[place].length > FIRST;
  }

  estimate(place, limit) {
    const row = this.rows[place];
    const at = FIRST + FIELDS * limit;
    return { mean: row[at] ?? null, low: row[at + 1] ?? null, high: row[at + 2] ?? null };
  }

  /** How much of the evidence that a decision takes there is: for passing all limits must have it, one fails. */
  evidence(place) {
    const row = this.rows[place];
    if (row[1] !== 0) return { pro: row[1] === 1 ? 1 : 0, contra: row[1] === 2 ? 1 : 0, known: true };
    let pro = 1;
    let contra = 0;
    for (let at = FIRST + 3; at < row.length; at += FIELDS) {
      if (row[at] === null) return { pro: 0, contra: 0, known: false };
      pro = Math.min(pro, row[at]);
      contra = Math.max(contra, row[at + 1]);
    }
    return row.length > FIRST ? { pro, contra, known: true } : { pro: 0, contra: 0, known: false };
  }

  leaning(place) {
    const { pro, contra } = this.evidence(place);
    return pro >= contra ? pro : -contra;
  }
}
