const parents = new Map() // by session
const parent = async (client, id) => {
  if (!parents.has(id)) {
    const late = new Promise((resolve) => setTimeout(resolve, 300).unref())
    const found = client.session.get({ path: { id } }).then((session) => session?.data?.parentID, () => undefined)
    parents.set(id, await Promise.race([found, late]))
  }
  return parents.get(id)
}

const session = async (client, id) => {
  const above = await parent(client, id)
  return above ? { session_id: above, agent_id: id } : { session_id: id }
}

export const Gate = async ({ client, directory: cwd }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const call = { cwd, tool_name: tool, tool_input: args, tool_use_id: callID }
    const answer = await judge({ ...(await session(client, sessionID)), ...call })
    if (refused(answer)) throw new Error(refused(answer))
    if (!answer.updatedInput) return
    // OpenCode reads the members of this object, and no other object.
    for (const name of Object.keys(args)) if (!(name in answer.updatedInput)) delete args[name]
    Object.assign(args, answer.updatedInput)
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
    const answer = output?.content ?? output?.output ?? null
    const call = { cwd, tool_name: tool, tool_input: args, tool_use_id: callID, tool_response: answer }
    await record({ ...(await session(client, sessionID)), ...call })
  },
})
