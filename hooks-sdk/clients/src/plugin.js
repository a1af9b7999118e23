// Hooks of the MCP server __SERVER__. __PROGRAM__ wrote this file: `hooks uninstall` removes it.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
const COMMAND = __COMMAND__
const EVENTS = __EVENTS__
const GONE = __GONE__ // by event: the text if the program does not exist

// Hands one event to the command. Resolves to its answer, or to {} if it fails in any way.
const fire = (hook_event_name, members) => new Promise((resolve) => {
  if (GONE[hook_event_name] && isAbsolute(COMMAND[0]) && !existsSync(COMMAND[0])) return resolve({ additionalContext: GONE[hook_event_name] })
  if (!EVENTS.includes(hook_event_name)) return resolve({})
  let child, out = ""
  const end = () => { clearTimeout(timer); try { resolve(JSON.parse(out).hookSpecificOutput ?? {}) } catch { resolve({}) } }
  const stop = () => { out = ""; child?.kill("SIGKILL"); end() }
  const timer = setTimeout(stop, LIMIT)
  try {
    const input = JSON.stringify({ hook_event_name, ...members })
    child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", stop).on("close", end)
    child.stdout.setEncoding("utf8").on("data", (text) => { if ((out += text).length > 1e6) stop() })
    child.stdin.on("error", () => {}).end(input)
  } catch { stop() }
})
