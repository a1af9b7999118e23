// The plugin of OpenCode: the hooks, and the MCP server __SERVER__.
import { Hooks } from "./lib/hooks.js"
import { find } from "./lib/program.js"

export const Plugin = async (input) => {
  const program = find()
  if (!program) return {}
  const config = async (settings) => {
    const servers = (settings.mcp ??= {})
    servers[__SERVER__] ??= { type: "local", command: [program, ...__ARGUMENTS__], enabled: true, environment: __ENVIRONMENT__ }
  }
  return { ...(await Hooks(input)), config }
}
