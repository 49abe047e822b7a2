// Server-Sent Events through fetch: the token goes in a header, and the position of the log says where to go on.

const SILENCE = 40000;
const LONGEST_PAUSE = 5000;

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** An event from its lines. */
function eventOf(block) {
  const found = { event: "message", id: null, data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.slice(0, colon) === "data") found.data += value;
    else found[line.slice(0, colon)] = value;
  }
  return found;
}

export class Stream {
  constructor(study, token, heard) {
    this.study = study;
    this.token = token;
    this.heard = heard; // { event(kind, data), state(words) }
    this.last = null;
    this.feed = "";
    this.stopped = false;
  }

  stop() {
    this.stopped = true;
    this.abort?.abort();
  }

  async run() {
    let wait = 300;
    while (!this.stopped) {
      try {
        if (await this.listen()) wait = 300;
      } catch (error) {
        if (error.refused) return;
      }
      if (this.stopped) return;
      this.heard.state("lost");
      await pause(wait + 200 * Math.random());
      wait = Math.min(2 * wait, LONGEST_PAUSE);
    }
  }

  async listen() {
    const headers = { accept: "text/event-stream" };
    if (this.last !== null) headers["last-event-id"] = this.last;
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    this.abort = new AbortController();
    const query = new URLSearchParams({ study: this.study, feed: this.feed });
    const answer = await fetch(`/api/events?${query}`, { headers, cache: "no-store", signal: this.abort.signal });
    if (!answer.ok) {
      const problem = await answer.json().catch(() => ({}));
      const refused = [401, 403, 404, 422].includes(answer.status); // to ask again would not help
      if (refused) this.heard.refused(answer.status, problem.detail || problem.title || "");
      throw Object.assign(new Error(problem.title), { refused });
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = "";
    let seen = 0;
    let any = false;
    let watchdog = setTimeout(() => this.abort.abort(), SILENCE);
    for (;;) {
      const { value, done } = await reader.read().finally(() => clearTimeout(watchdog));
      if (done) return any;
      watchdog = setTimeout(() => this.abort.abort(), SILENCE);
      buffer += value;
      for (let end = buffer.indexOf("\n\n", seen); end >= 0; end = buffer.indexOf("\n\n")) {
        this.take(eventOf(buffer.slice(0, end)));
        buffer = buffer.slice(end + 2);
        any = true;
      }
      seen = Math.max(0, buffer.length - 1);
    }
  }

  take(found) {
    if (!found.data) return;
    const data = JSON.parse(found.data);
    if (data.feed) this.feed = data.feed;
    if (found.id !== null) this.last = found.id;
    this.heard.event(found.event, data);
    this.heard.state("live");
  }
}
