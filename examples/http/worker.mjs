// A worker for a study over HTTP: node worker.mjs [ADDRESS] [STUDY]
// It asks what to evaluate, evaluates it, and tells what came out, until there is a verdict. Start as many as you like.

const address = process.argv[2] ?? "http://127.0.0.1:8765";
const study = process.argv[3] ? `?study=${encodeURIComponent(process.argv[3])}` : "";
const headers = { "content-type": "application/json" };
if (process.env.SATISFICE_TOKEN) headers.authorization = `Bearer ${process.env.SATISFICE_TOKEN}`;

// Put your own measurement here: one number for each metric.
function evaluate({ level }) {
  return { latency_ms: Math.max(0, Math.min(400, 40 * level + 60 * (Math.random() - 0.5))), lost: Math.random() < 0.001 ? 1 : 0 };
}

async function post(path, content) {
  const body = JSON.stringify(content);
  for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
    const answer = await fetch(`${address}/api/${path}${study}`, { method: "POST", headers, body }).catch(() => null);
    if (answer?.ok) return answer.json();
    const why = answer ? await answer.json() : { detail: "the server does not answer" };
    if (answer?.status === 409) return { pulls: [], outcome: "UNDECIDED" }; // somebody else has this pull now
    if (answer && answer.status !== 503 && answer.status !== 429) throw new Error(why.detail ?? why.title);
    await new Promise((wake) => setTimeout(wake, pause)); // to tell the same again is harmless
  }
}

let told = 0;
for (;;) {
  const { pulls, outcome, stopped } = await post("ask", { wait: 20, worker: "node" });
  if (outcome !== "UNDECIDED" || stopped) {
    console.log(`${stopped ?? outcome} after ${told} evaluations here`);
    break;
  }
  for (const pull of pulls) {
    await post("tell", { pull: pull.id, results: evaluate(pull.parameters) });
    told += 1;
  }
}
