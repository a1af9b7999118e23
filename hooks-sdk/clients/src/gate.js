// Gates of the MCP server __SERVER__. __PROGRAM__ wrote this file: `hooks uninstall` removes it.
import { spawn } from "node:child_process"
const COMMAND = __COMMAND__
const EVENTS = __EVENTS__
const JUDGES = __JUDGES__ // whether the program judges calls
const RECORD = __RECORD__ // the command that records calls after they ran, or null
const TOOLS = __TOOLS__ // the tools about which the program is asked, or null for every tool
const CLOSED = __CLOSED__ // whether a call is refused when the program does not answer
const LIMIT = 2_500 // milliseconds for the program, which has a deadline of its own before

// Runs the program about one call. Resolves to its answer: {}, a refusal, or changed arguments.
const run = (command, event, closed, members) => new Promise((resolve) => {
  const failed = closed ? { permissionDecision: "deny", permissionDecisionReason: "The gate did not answer." } : {}
  let child, out = "", done = false
  const end = (answer) => { if (!done) { done = true; clearTimeout(timer); child?.kill("SIGKILL"); resolve(answer) } }
  const timer = setTimeout(() => end(failed), LIMIT)
  try {
    const input = JSON.stringify({ hook_event_name: event, ...members })
    child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", () => end(failed)).on("close", (code) => {
      try { end(code === 0 ? JSON.parse(out).hookSpecificOutput ?? {} : failed) } catch { end(failed) }
    })
    child.stdout.setEncoding("utf8").on("data", (text) => { if ((out += text).length > 1e6) end(failed) })
    child.stdin.on("error", () => {}).end(input)
  } catch { end(failed) }
})
const isAsked = ({ tool_name }) => !TOOLS || TOOLS.includes(tool_name)
const judge = (members) => (JUDGES && isAsked(members) ? run(COMMAND, __BEFORE__, CLOSED, members) : {})
const record = (members) => (RECORD && isAsked(members) ? run(RECORD, __AFTER__, false, members) : {})
const refused = (answer) => answer.permissionDecision === "deny" && String(answer.permissionDecisionReason || "A gate refuses this call.")
