const sessions = new Map() // the session of each agent
const session = ({ agentId, parentAgentId, conversationId }) => {
  if (!parentAgentId) sessions.set(agentId, conversationId)
  const agent = parentAgentId ? { agent_id: agentId } : {}
  return { session_id: sessions.get(parentAgentId) ?? conversationId, ...agent, cwd: process.cwd() }
}

export default {
  name: __NAME__,
  manifest: { capabilities: ["hooks"] },
  hooks: {
    beforeTool: async ({ snapshot, toolCall, input }) => {
      // `input` has the changes of other plugins, and `toolCall.input` lacks them.
      const call = { tool_name: toolCall.toolName, tool_input: input ?? toolCall.input, tool_use_id: toolCall.toolCallId }
      const answer = await judge({ ...session(snapshot ?? {}), ...call })
      if (refused(answer)) return { skip: true, reason: refused(answer) }
      return answer.updatedInput ? { input: answer.updatedInput } : {}
    },
    afterTool: async ({ snapshot, toolCall, input, result }) => {
      const call = { tool_name: toolCall.toolName, tool_input: input ?? toolCall.input, tool_use_id: toolCall.toolCallId }
      // A refused call is reported as one that failed.
      if (result?.isError) return {}
      await record({ ...session(snapshot ?? {}), ...call, tool_response: result?.output ?? null })
      return {}
    },
  },
}
