// The official TypeScript client drives memory-server on both protocol generations and reads its hooks.

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const json = name => JSON.parse(readFileSync(new URL(name, import.meta.url)));
const plan = json('sessions.json');
const content = 'The harbour lamp needs whale oil';
const generations = {
    '2025-06-18': { supportedProtocolVersions: ['2025-06-18'] },
    '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
};

// The SDK's stdio transport with the frames in view: its types drop `capabilities.hooks` from the answer.
class Wire {
    sent = [];
    received = [];

    constructor(server) {
        this.inner = new StdioClientTransport(server);
        this.inner.onmessage = message => {
            this.received.push(message);
            this.onmessage?.(message);
        };
        this.inner.onerror = error => this.onerror?.(error);
        this.inner.onclose = () => this.onclose?.();
    }
    start() {
        return this.inner.start();
    }
    send(message) {
        this.sent.push(message);
        return this.inner.send(message);
    }
    close() {
        return this.inner.close();
    }
    // The raw answer to `initialize` or `server/discover`, whichever was sent last.
    handshake() {
        const asked = this.sent.findLast(message => ['initialize', 'server/discover'].includes(message.method));
        return this.received.find(message => message.id === asked.id).result;
    }
}

function check(holds, complaint, seen) {
    if (!holds) throw new Error(`${complaint}; seen: ${JSON.stringify(seen) ?? 'nothing'}`);
}

// Every member name in a JSON value, at any depth.
function keys(value) {
    if (value === null || typeof value !== 'object') return [];
    return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keys)];
}

// Whether a value is the expected one, where `true` stands for any text, and a list for one that has its words.
function fits(expected, value) {
    if (Array.isArray(expected)) return typeof value === 'string' && expected.every(word => value.includes(word));
    if (expected === true) return typeof value === 'string' && value.trim() !== '';
    if (expected === null || typeof expected !== 'object') return expected === value;
    return (
        isDeepStrictEqual(new Set(Object.keys(expected)), new Set(Object.keys(value ?? {}))) &&
        Object.keys(expected).every(key => fits(expected[key], value[key]))
    );
}

// Exactly the planned declarations of `events`, in any order; nothing at all if they are undefined.
function checkPlace(place, hooks, events) {
    if (!events) return check(hooks === undefined, `${place}: hooks were declared but not asked for`, hooks);
    const members = Object.keys(hooks ?? {});
    check(isDeepStrictEqual(members, ['declarations']), `${place}: expected declarations`, hooks);
    const planned = plan.declarations.filter(({ event }) => events.includes(event));
    const { declarations } = hooks;
    const all = declarations.length === planned.length;
    check(all, `${place}: expected ${planned.length} declarations for ${events}`, hooks);
    for (const expected of planned) {
        const found = declarations.filter(one => fits(expected, one));
        check(found.length === 1, `${place}: expected one declaration as ${JSON.stringify(expected)}`, hooks);
    }
}

const text = result => result.content.map(block => block.text ?? '').join('\n');

// Opens the session after a refusal; returns the arguments that name it in further calls.
async function openSession(client, project, protocol) {
    const refused = await client.callTool({ name: 'list_topics', arguments: { project } });
    const directed = refused.isError && text(refused).includes('You MUST call session_init first');
    check(directed, 'a tool ran before session_init', refused);

    const opened = await client.callTool({ name: 'session_init', arguments: { project } });
    check(!opened.isError, 'session_init failed', opened);
    const handle = opened._meta?.['hooks-sdk/session'];
    check((handle !== undefined) === protocol >= '2026-07-28', 'a handle is missing, or not needed', opened);
    if (handle === undefined) return {};
    const last = opened.content.at(-1).text;
    check(last.startsWith(`session: ${handle}\n`), 'the last text is not the handle', opened);
    return { session: handle };
}

async function useTools(client, project, session, startHook) {
    const names = (await client.listTools()).tools.map(tool => tool.name);
    const listed = ['store_memory', 'search_memories'].every(name => names.includes(name));
    check(listed, 'tools/list lacks a tool', names);

    const call = (name, args) => client.callTool({ name, arguments: { project, ...session, ...args } });
    const search = args => call('search_memories', { query: 'harbour lamp', ...args });

    const refused = await search({ mode: 'telepathy' });
    const clear = refused.isError && text(refused).includes('telepathy');
    check(clear, 'an unknown mode is no clear tool error', refused);

    const stored = await call('store_memory', { content, tags: ['lamp'] });
    check(!stored.isError, 'store_memory failed', stored);
    for (const mode of ['probe', 'summary', 'full']) {
        const found = await search({ mode });
        check(!found.isError && text(found).includes(content), `search in mode ${mode} did not find it`, found);
    }
    const found = await search({ output: 'json' });
    const results = JSON.stringify(JSON.parse(text(found)).results);
    check(results.includes(content), 'the JSON search did not find it', found);

    if (startHook) {
        const filled = JSON.stringify(startHook.context_tool_args).replaceAll('{project_name}', project);
        const answer = await call(startHook.context_tool, JSON.parse(filled));
        check(!answer.isError && text(answer), 'the context tool of session_start failed', answer);
    }
}

async function run(server, protocol, session) {
    const wire = new Wire(server);
    const options = { ...generations[protocol], capabilities: session.capabilities };
    const client = new Client({ name: 'hooks-peers', version: '1' }, options);
    try {
        await client.connect(wire, { timeout: 20_000 });
        const negotiated = client.getNegotiatedProtocolVersion();
        check(negotiated === protocol, 'another protocol was negotiated', negotiated);
        const instructions = client.getInstructions();
        check(instructions, "the server's instructions are missing", instructions);
        const declared = session.answered.experimental?.includes('session_start') ?? false;
        const told = instructions.includes('Call `session_init` before');
        check(told !== declared, "the start's guidance is not told exactly once", instructions);

        const { hooks, experimental } = wire.handshake().capabilities;
        checkPlace('capabilities.hooks', hooks, session.answered.hooks);
        checkPlace('experimental.hooks', experimental?.hooks, session.answered.experimental);
        const typed = client.getServerCapabilities()?.experimental?.hooks;
        check(isDeepStrictEqual(typed, experimental?.hooks), "the SDK's own view of experimental.hooks differs", typed);
        const start = experimental?.hooks?.declarations.find(one => one.context_tool);
        const project = `${session.name}, ${protocol}`;
        await useTools(client, project, await openSession(client, project, protocol), start);
    } finally {
        await client.close();
    }
    if (Object.keys(session.answered).length === 0) {
        const seen = keys(wire.received).filter(key => ['hooks', 'declarations'].includes(key));
        check(seen.length === 0, 'hooks are named although nothing was declared', seen);
    }
}

const [binary, database] = process.argv.slice(2);
const server = { command: binary, args: ['serve', '--database', database] };
for (const protocol of Object.keys(generations)) {
    for (const session of plan.sessions) {
        try {
            await run(server, protocol, session);
        } catch (error) {
            console.error(`${protocol}, ${session.name}: ${error.name}: ${error.message.replaceAll(/\s+/g, ' ')}`);
            process.exit(1);
        }
    }
}
const { version } = json('node_modules/@modelcontextprotocol/client/package.json');
const spoken = Object.keys(generations).join(' and ');
console.log(`@modelcontextprotocol/client ${version}: ${plan.sessions.length} sessions each on ${spoken}`);
