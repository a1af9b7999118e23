const LIMIT = 10_000 // milliseconds for the command
const ask = async (call) => {
  const late = new Promise((resolve) => setTimeout(resolve, 2_000).unref())
  try { return (await Promise.race([call(), late]))?.data } catch {}
}
const joined = (...texts) => texts.filter((text) => text && typeof text === "string").join("\n\n")
class Refusal extends Error {}
// OpenCode ends the run at an error in `chat.message`, and replaces a tool's result by any other.
const safe = (hook) => async (...event) => {
  try { await hook(...event) } catch (error) { if (error instanceof Refusal) throw error }
}
// The clients that have a copy of this plugin already: the user's and the project's are loaded side by side.
const served = (globalThis[Symbol.for(__NAME__)] ??= new WeakSet())

export const Hooks = async ({ client, directory: cwd }) => {
  if (served.has(client)) return {}
  served.add(client)
  const begun = new Set(), parents = new Map(), kept = new Map() // by session
  const parent = async (id) => {
    if (!parents.has(id)) parents.set(id, (await ask(() => client.session.get({ path: { id } })))?.parentID)
    return parents.get(id)
  }
  const source = async (id) => {
    const earlier = await ask(() => client.session.messages({ path: { id }, query: { limit: 1 } }))
    return earlier?.length ? "resume" : "startup"
  }
  const call = async ({ tool, sessionID, callID }, args) => {
    const above = await parent(sessionID)
    const session = above ? { session_id: above, agent_id: sessionID } : { session_id: sessionID }
    return { ...session, cwd, tool_name: tool, tool_input: args, tool_use_id: callID }
  }
  const take = (id) => { const text = kept.get(id); kept.delete(id); return text }
  return {
    "chat.message": safe(async ({ sessionID: id }, { message, parts }) => {
      if (await parent(id)) return // The agent wrote this prompt, for a subagent.
      const members = { session_id: id, cwd, message_id: message.id }
      const start = begun.has(id) ? {} : fire("chat.message.first", { ...members, source: await source(id) })
      begun.add(id)
      const answers = await Promise.all([start, fire("chat.message", members)])
      for (const text of [take(id), ...answers.map((answer) => answer.additionalContext)].filter((text) => joined(text))) {
        // OpenCode ends the run if a part's id does not begin with `prt_`.
        const before = parts.at(-1)?.id ?? `prt_${message.id}`
        parts.push({ id: `${before}h`, messageID: message.id, sessionID: id, type: "text", text, synthetic: true })
      }
    }),
    "tool.execute.before": safe(async (tool, { args }) => {
      const answer = await fire("tool.execute.before", await call(tool, args))
      if (answer.permissionDecision === "deny") throw new Refusal(joined(answer.permissionDecisionReason) || "A hook refused this call.")
      kept.set(tool.sessionID, joined(take(tool.sessionID), answer.additionalContext))
    }),
    "tool.execute.after": safe(async (tool, output) => {
      const members = { ...(await call(tool, tool.args)), tool_response: output.content ?? output.output }
      const text = joined(take(tool.sessionID), (await fire("tool.execute.after", members)).additionalContext)
      if (!text) return
      if (Array.isArray(output.content)) output.content.push({ type: "text", text })
      else output.output = joined(output.output, text)
    }),
    event: safe(async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type !== "session.compacted" || (await parent(id))) return
      // The agent goes on without a prompt: the texts come with its next result or message.
      begun.add(id)
      const start = await fire("chat.message.first", { session_id: id, cwd, source: "compact" })
      kept.set(id, joined(take(id), start.additionalContext))
    }),
  }
}
