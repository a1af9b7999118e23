"use strict";

// The most rows of the table. The oldest row goes first.
const MOST = 500;

const DECISIONS = { allow: "allowed", modify: "modified", deny: "denied", error: "failed" };

const element = (id) => document.getElementById(id);

// Everything that came from elsewhere becomes text, never HTML.
function make(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind !== undefined) made.className = kind;
  return made;
}

function cell(row, ...parts) {
  const made = make("td");
  made.append(...parts);
  row.append(made);
  return made;
}

function took(microseconds) {
  if (microseconds < 1000) return `${microseconds} µs`;
  if (microseconds < 1000000) return `${(microseconds / 1000).toFixed(1)} ms`;
  return `${(microseconds / 1000000).toFixed(1)} s`;
}

function time(at) {
  const date = new Date(at);
  const made = make("time", Number.isNaN(date.valueOf()) ? at : date.toLocaleTimeString([], { hour12: false }));
  made.dateTime = at;
  made.title = at;
  return made;
}

function add(step, isNew) {
  const decision = Object.hasOwn(DECISIONS, step.decision) ? step.decision : "error";
  const row = make("tr", undefined, isNew ? `${decision} new` : decision);
  cell(row, time(step.at));
  cell(row, make("span", DECISIONS[decision], `badge ${decision}`));
  const about = step.tool ?? step.messageMethod;
  cell(row, make("b", about ?? step.method), make("small", about === undefined ? "" : step.method));
  cell(row, step.agent ?? "", make("small", step.session ?? ""));
  const reason = cell(row, step.message);
  if (step.reasoning !== undefined) reason.append(make("small", step.reasoning));
  for (const code of step.reasonCode ?? []) reason.append(make("code", code));
  if (step.contents !== undefined) {
    const contents = make("details");
    contents.append(make("summary", "contents"), make("pre", JSON.stringify(step.contents, null, 2)));
    reason.append(contents);
  }
  cell(row, took(step.microseconds)).className = "number";

  const count = document.querySelector(`#counts .${decision} b`);
  count.textContent = String(Number(count.textContent) + 1);
  const steps = element("steps");
  steps.prepend(row);
  while (steps.rows.length > MOST) steps.deleteRow(-1);
  element("empty").hidden = true;
}

function policy(now) {
  const rules = now.rules === 1 ? "1 rule" : `${now.rules} rules`;
  element("policy").textContent = now.file === null ? "no policy: every step is allowed" : `${now.file} · ${rules}`;
  const problem = element("problem");
  problem.hidden = now.problem === null;
  problem.textContent = now.problem === null ? "" : `The file has mistakes. The policy before it stays in force.\n${now.problem}`;
}

function connection(kind, text) {
  const made = element("connection");
  made.className = kind;
  made.textContent = text;
}

const source = new EventSource("/steps");
source.addEventListener("open", () => connection("open", "live"));
source.addEventListener("error", () => connection("lost", "connection lost, trying again"));
source.addEventListener("kept", (event) => add(JSON.parse(event.data), false));
source.addEventListener("step", (event) => add(JSON.parse(event.data), true));
source.addEventListener("policy", (event) => policy(JSON.parse(event.data)));
source.addEventListener("missed", (event) => {
  const row = make("tr", undefined, "error");
  const told = cell(row, `This page was too slow: ${event.data} steps are missing here. The audit log has them.`);
  told.colSpan = 6;
  element("steps").prepend(row);
});
