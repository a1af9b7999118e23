// The official TypeScript client is asked questions by the hooks of policy-server, on both protocol generations.

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const json = name => JSON.parse(readFileSync(new URL(name, import.meta.url)));
const plan = json('questions.json');
const generations = {
    '2025-06-18': { supportedProtocolVersions: ['2025-06-18'] },
    '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
};

function check(holds, complaint, seen) {
    if (!holds) throw new Error(`${complaint}; seen: ${JSON.stringify(seen) ?? 'nothing'}`);
}

const text = result => result.content.map(block => block.text ?? '').join('\n');

function checkAnswer({ violation, says }, result) {
    const { code, details } = result._meta?.['hooks-sdk/violation'] ?? {};
    const refused = code && { code, details };
    const expected = JSON.stringify(violation);
    check(isDeepStrictEqual(refused, violation), `expected the violation ${expected}`, refused ?? text(result));
    check((result.isError ?? false) === (violation !== undefined), 'isError is wrong', result.isError);
    for (const words of says) check(text(result).includes(words), `the answer lacks \`${words}\``, text(result));
}

// Connects, calls `use`, and closes.
async function connected(command, protocol, capabilities, use) {
    const client = new Client({ name: 'hooks-peers', version: '1' }, { ...generations[protocol], capabilities });
    try {
        await use(client, () => client.connect(new StdioClientTransport({ command }), { timeout: 20_000 }));
    } finally {
        await client.close();
    }
}

async function run(command, protocol) {
    await connected(command, protocol, { elicitation: {} }, async (client, connect) => {
        let asked = [];
        let answer;
        client.setRequestHandler('elicitation/create', ({ params }) => {
            asked.push({ message: params.message, fields: Object.keys(params.requestedSchema.properties).sort() });
            return answer;
        });
        await connect();
        const negotiated = client.getNegotiatedProtocolVersion();
        check(negotiated === protocol, 'another protocol was negotiated', negotiated);
        for (const one of plan.cases) {
            asked = [];
            answer = one.answer;
            try {
                checkAnswer(one, await client.callTool({ name: one.tool, arguments: one.arguments }));
                const expected = one.asked ? [one.asked] : [];
                check(isDeepStrictEqual(asked, expected), `expected the questions ${JSON.stringify(expected)}`, asked);
            } catch (error) {
                throw new Error(`${one.name}: ${error.message}`, { cause: error });
            }
        }
        const runs = JSON.parse(text(await client.callTool({ name: 'runs', arguments: {} })));
        check(isDeepStrictEqual(runs, plan.runs), `expected the runs ${JSON.stringify(plan.runs)}`, runs);
    });
    await connected(command, protocol, {}, async (client, connect) => {
        await connect();
        const one = plan.nobody_to_ask;
        checkAnswer(one, await client.callTool({ name: one.tool, arguments: one.arguments }));
    });
}

const [command] = process.argv.slice(2);
for (const protocol of Object.keys(generations)) {
    try {
        await run(command, protocol);
    } catch (error) {
        console.error(`${protocol}: ${error.name}: ${error.message.replaceAll(/\s+/g, ' ')}`);
        process.exit(1);
    }
}
const { version } = json('node_modules/@modelcontextprotocol/client/package.json');
const spoken = Object.keys(generations).join(' and ');
console.log(`@modelcontextprotocol/client ${version}: ${plan.cases.length} calls each on ${spoken}`);
