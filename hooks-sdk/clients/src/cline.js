const LIMIT = 2_500 // milliseconds for the command: Cline ends the whole run when a hook takes 3 s
const context = (...answers) => {
  const texts = answers.map((answer) => answer.additionalContext).filter((text) => text && typeof text === "string")
  return texts.length ? { appendContext: texts.join("\n\n") } : {}
}
const begun = new Set(), sessions = new Map() // the sessions that have begun, and the session of each agent
const of = ({ agentId, parentAgentId, conversationId, runId }) => {
  if (!parentAgentId) sessions.set(agentId, conversationId)
  const agent = parentAgentId ? { agent_id: agentId } : {}
  return { session_id: sessions.get(parentAgentId) ?? conversationId, ...agent, cwd: process.cwd(), run_id: runId }
}
const call = (snapshot, { toolCallId, toolName, input }) => ({ ...of(snapshot), tool_name: toolName, tool_input: input, tool_use_id: toolCallId })
// Cline ends the run at an error.
const safe = (hook) => async (event) => { try { return await hook(event) } catch { return {} } }

export default {
  name: __NAME__,
  manifest: { capabilities: ["hooks"] },
  hooks: {
    beforeRun: safe(async ({ snapshot }) => {
      const members = of(snapshot)
      if (snapshot.parentAgentId) return {} // The agent wrote this prompt, for a subagent.
      const isFirst = !begun.has(members.session_id)
      begun.add(members.session_id)
      const source = snapshot.messages?.some((message) => message.role === "assistant") ? "resume" : "startup"
      const start = isFirst ? fire("beforeRun.first", { ...members, source }) : {}
      return context(...(await Promise.all([start, fire("beforeRun", members)]))) // side by side, because of the limit
    }),
    beforeTool: safe(async ({ snapshot, toolCall }) => {
      const answer = await fire("beforeTool", call(snapshot, toolCall))
      if (answer.permissionDecision !== "deny") return context(answer)
      return { skip: true, reason: String(answer.permissionDecisionReason ?? "A hook refused this call.") }
    }),
    afterTool: safe(async ({ snapshot, toolCall, result }) => {
      if (result?.isError || result?.output?.isError) return {}
      return context(await fire("afterTool", { ...call(snapshot, toolCall), tool_response: result?.output }))
    }),
  },
}
