// Plays the client of a generated plugin: loads it, calls its hooks, and prints what each of them did.
//
// The arguments are the client and the plugin; standard input has what the client knows, and the calls, as JSON.
import { readFileSync } from "node:fs"

const [client, plugin] = process.argv.slice(2)
const { sessions = {}, hangs, calls } = JSON.parse(readFileSync(0, "utf8"))
process.cwd = () => "/home/user/project"
process.on("unhandledRejection", (error) => { console.log(JSON.stringify([{ unhandled: String(error) }])); process.exit(1) })

// As a module, whatever the ending of its name is.
const module = await import("data:text/javascript," + encodeURIComponent(readFileSync(plugin, "utf8")))
const never = new Promise(() => {})
const alive = setInterval(() => {}, 1_000) // A client does not end while it waits.
const asked = (answer) => async ({ path }) => (hangs ? never : { data: answer(sessions[path.id] ?? {}) })
const session = {
  get: asked(({ parentID }) => ({ parentID })),
  messages: asked(({ messages }) => messages ?? []),
}
const host = { client: { session }, directory: process.cwd() }
const hooks = client === "opencode" ? await (module.Hooks ?? module.Gate)(host) : module.default.hooks
// Another copy of the plugin, such as the project's beside the user's.
const copy = client === "opencode" && module.Hooks ? await module.Hooks(host) : {}
if (Object.keys(copy).length) throw new Error("both copies answer")

const done = []
for (const { hook, input, output, context } of calls) {
  try {
    const returned = client === "opencode" ? await hooks[hook](input, output) : await hooks[hook](context)
    done.push({ output, returned })
  } catch (error) {
    done.push({ output, threw: error.message })
  }
}
clearInterval(alive)
console.log(JSON.stringify(done))
