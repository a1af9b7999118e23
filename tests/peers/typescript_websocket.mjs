// The official TypeScript client 1.x talks to memory-server over a WebSocket. Argument: the server's address.

import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const protocol = '2025-11-25';
const project = 'typescript, websocket';
const asked = [];
const answers = [{ action: 'decline' }, { action: 'accept', content: { confirm: true } }];

function check(holds, complaint, seen) {
    if (!holds) throw new Error(`${complaint}; seen: ${JSON.stringify(seen) ?? 'nothing'}`);
}

const text = result => result.content.map(block => block.text ?? '').join('\n');

// The SDK's transport, which learns the protocol version that was negotiated.
class Socket extends WebSocketClientTransport {
    setProtocolVersion(version) {
        this.negotiated = version;
    }
}

// A connection is one session, in which the server asks the user.
async function session(url) {
    const transport = new Socket(new URL(url));
    const client = new Client({ name: 'hooks-peers', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message);
        return answers.shift();
    });
    const call = (name, args) => client.callTool({ name, arguments: { project, ...args } });
    try {
        await client.connect(transport, { timeout: 20_000 });
        check(transport.negotiated === protocol, 'another protocol was negotiated', transport.negotiated);
        const refused = await call('list_topics');
        const directive = 'You MUST call session_init first';
        check(refused.isError && text(refused).includes(directive), 'a tool ran before session_init', refused);
        const opened = await call('session_init');
        check(!opened.isError, 'session_init failed', opened);
        const tools = (await client.listTools()).tools.map(tool => tool.name);
        check(tools.includes('store_memory'), 'tools/list lacks a tool', tools);

        const content = 'The harbour lamp needs whale oil';
        const stored = await call('store_memory', { content, tags: ['harbour'] });
        check(!stored.isError, 'store_memory failed', stored);
        const found = JSON.parse(text(await call('search_memories', { query: 'lamp', output: 'json' })));
        check(found.results.length === 1, 'the memory was not found', found);
        for (const confirmed of [false, true]) {
            const deleted = await call('delete_memory', { memory_id: found.results[0].id });
            check((deleted.isError ?? false) !== confirmed, `delete_memory, confirmed: ${confirmed}`, deleted);
        }
        check(asked.length === 2, 'the user was not asked twice', asked);
    } finally {
        await client.close();
    }
}

try {
    await session(`ws://${process.argv[2]}/mcpl`);
} catch (error) {
    console.error(`${error.name}: ${error.message.replaceAll(/\s+/g, ' ')}`);
    process.exit(1);
}
const manifest = new URL('node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest));
console.log(`@modelcontextprotocol/sdk ${version}: ${protocol} over a WebSocket`);
process.exit(0);
