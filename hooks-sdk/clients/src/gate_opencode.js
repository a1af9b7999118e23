const parents = new Map() // by session
const parent = async (client, id) => {
  if (!parents.has(id)) {
    const late = new Promise((resolve) => setTimeout(resolve, 300).unref())
    const found = client.session.get({ path: { id } }).then((session) => session?.data?.parentID, () => undefined)
    parents.set(id, await Promise.race([found, late]))
  }
  return parents.get(id)
}

export const Gate = async ({ client, directory: cwd }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const above = await parent(client, sessionID)
    const session = above ? { session_id: above, agent_id: sessionID } : { session_id: sessionID }
    const answer = await judge({ ...session, cwd, tool_name: tool, tool_input: args, tool_use_id: callID })
    if (refused(answer)) throw new Error(refused(answer))
    if (!answer.updatedInput) return
    // OpenCode reads the members of this object, and no other object.
    for (const name of Object.keys(args)) if (!(name in answer.updatedInput)) delete args[name]
    Object.assign(args, answer.updatedInput)
  },
})
