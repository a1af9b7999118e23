// The plugin of Cline CLI: the hooks, and the MCP server __SERVER__.
import plugin from "./lib/cline-hooks.js"
import { find } from "./lib/program.js"

const command = find()
const server = { name: __SERVER__, transport: { type: "stdio", command, args: __ARGUMENTS__, env: __ENVIRONMENT__ } }

export default {
  name: plugin.name,
  manifest: { capabilities: ["hooks", "mcp"] },
  hooks: command ? plugin.hooks : {},
  setup: (api) => { if (command) api.registerMcpServer(server) },
}
