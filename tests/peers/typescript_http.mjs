// The official TypeScript client talks to three replicas behind a round-robin proxy, on both protocol generations.
// Arguments: the proxy before memory-server, and the proxy before conformance-server.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const json = name => JSON.parse(readFileSync(new URL(name, import.meta.url)));
const content = 'The harbour lamp needs whale oil';
const generations = {
    '2025-11-25': { supportedProtocolVersions: ['2025-11-25'] },
    '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
};

function check(holds, complaint, seen) {
    if (!holds) throw new Error(`${complaint}; seen: ${JSON.stringify(seen) ?? 'nothing'}`);
}

const text = result => result.content.map(block => block.text ?? '').join('\n');

// Connects, calls `use`, and closes. `answer` is called with each question to the user.
async function connected(url, protocol, answer, use) {
    const options = { ...generations[protocol], capabilities: { elicitation: {} } };
    const client = new Client({ name: 'hooks-peers', version: '1' }, options);
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
    try {
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)), { timeout: 20_000 });
        const negotiated = client.getNegotiatedProtocolVersion();
        check(negotiated === protocol, 'another protocol was negotiated', negotiated);
        await use(client);
    } finally {
        await client.close();
    }
}

// A session that is opened at one replica goes on at the others, which ask the user and hear the answer.
async function memory(url, protocol) {
    const project = `typescript, ${protocol}`;
    const asked = [];
    const answers = [];
    const answer = params => {
        asked.push(params.message);
        return answers.pop();
    };
    await connected(url, protocol, answer, async client => {
        const call = (name, args) => client.callTool({ name, arguments: { project, ...args } });
        const refused = await call('list_topics', {});
        const directive = 'You MUST call session_init first';
        check(refused.isError && text(refused).includes(directive), 'a tool ran before session_init', refused);
        const opened = await call('session_init', {});
        check(!opened.isError, 'session_init failed', opened);
        const handle = opened._meta?.['hooks-sdk/session'];
        check((handle !== undefined) === (protocol >= '2026-07-28'), 'a handle is missing, or not needed', handle);
        const session = handle === undefined ? {} : { session: handle };

        const tools = (await client.listTools()).tools.map(tool => tool.name);
        check(tools.includes('store_memory'), 'tools/list lacks a tool', tools);
        const { prompts } = await client.listPrompts();
        for (const { name, arguments: needed = [] } of prompts) {
            if (needed.some(argument => argument.required)) continue;
            const { messages } = await client.getPrompt({ name });
            check(messages.length > 0, `the prompt ${name} is empty`, messages);
        }
        if (tools.includes('hooks_register')) await register(client, session, 'list_topics', { project });

        const ids = [];
        for (const one of ['first', 'second', 'third']) {
            const stored = await call('store_memory', { content: `${content}, ${one}`, tags: [one], ...session });
            check(!stored.isError, 'store_memory failed', stored);
            const found = await call('search_memories', { query: one, output: 'json', ...session });
            ids.push(...JSON.parse(text(found)).results.map(({ id }) => id));
        }
        check(new Set(ids).size === 3, 'not each memory was found', ids);

        for (const confirmed of [false, true]) {
            answers.push(confirmed ? { action: 'accept', content: { confirm: true } } : { action: 'decline' });
            const deleted = await call('delete_memory', { memory_id: ids[0], ...session });
            check((deleted.isError ?? false) !== confirmed, `delete_memory, confirmed: ${confirmed}`, deleted);
        }
        check(asked.length === 2, 'the user was not asked twice', asked);
    });
}

// A hook that is registered at one replica fires there: one call in as many as there are replicas.
async function register(client, session, tool, arguments_) {
    const content = 'The peer registered this.';
    const hook = { tag: 'peer', type: 'action', lifecycle: 'end', name: 'Peer', requirementLevel: 'MAY', tool, content };
    const registered = await client.callTool({ name: 'hooks_register', arguments: { ...hook, ...session } });
    check(!registered.isError, 'hooks_register failed', registered);
    const seen = [];
    for (let call = 0; call < 6; call += 1) {
        seen.push(text(await client.callTool({ name: tool, arguments: { ...arguments_, ...session } })));
    }
    check(seen.some((each) => each.includes(content)), 'a hook that was registered did not fire', seen);
}

// Streams go through the proxy.
async function streams(url, protocol) {
    const answer = async () => {
        await sleep(200);
        return { action: 'accept', content: { username: 'Ada', email: 'ada@example.org', name: 'Ada' } };
    };
    await connected(url, protocol, answer, async client => {
        const call = (name, args, options) => client.callTool({ name, arguments: args ?? {} }, options);
        const { contents } = await client.readResource({ uri: 'test://static-text' });
        check(contents[0].text.includes('static text resource'), 'a resource is wrong', contents);
        const { messages } = await client.getPrompt({ name: 'test_simple_prompt' });
        check(messages.length === 1, 'a prompt is wrong', messages);

        const begun = await call('test_simple_text');
        const handle = begun._meta?.['hooks-sdk/session'];
        await register(client, handle === undefined ? {} : { session: handle }, 'test_simple_text', {});

        const progress = [];
        await call('test_tool_with_progress', {}, { onprogress: one => progress.push(one.progress) });
        check(progress.join() === '0,50,100', 'the progress is wrong', progress);

        const asking = protocol < '2026-07-28' ? 'test_elicitation' : 'test_input_required_result_elicitation';
        const asked = await call(asking, { message: 'Who are you?' });
        check(text(asked).includes('Ada'), 'the answer did not arrive', asked);
        if (protocol >= '2026-07-28') return;

        const logs = [];
        client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
        // The GET stream carries what its own replica says: one call in as many as there are replicas.
        for (let round = 0; round < 6; round += 1) await call('test_tool_with_logging');
        for (let wait = 0; logs.length < 3 && wait < 50; wait += 1) await sleep(100);
        check(logs.length >= 3, 'a notification did not arrive on the GET stream', logs);
    });
}

const [memoryUrl, streamsUrl] = process.argv.slice(2);
for (const protocol of Object.keys(generations)) {
    for (const [name, run] of Object.entries({
        memory: () => memory(memoryUrl, protocol),
        streams: () => streams(streamsUrl, protocol),
    })) {
        try {
            await run();
        } catch (error) {
            console.error(`${protocol}, ${name}: ${error.name}: ${error.message.replaceAll(/\s+/g, ' ')}`);
            process.exit(1);
        }
    }
}
const { version } = json('node_modules/@modelcontextprotocol/client/package.json');
console.log(`@modelcontextprotocol/client ${version}: ${Object.keys(generations).join(' and ')} with three replicas`);
process.exit(0);
