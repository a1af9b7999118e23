// The login of the official TypeScript SDK: discovery, registration, PKCE, the token, and a call.
// Usage: login.mjs URL FILE OTHER; it writes the token into FILE, and one for another resource into OTHER
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const url = new URL(process.argv[2]);
const kept = {};

// A user who opens each page, and returns the code with which the last page sends the browser home.
async function browse(page) {
  const cookies = new Map();
  for (let at = page; ; ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    assert(answer.headers.has('location'), `${at} leads nowhere: ${answer.status} ${await answer.text()}`);
    at = new URL(answer.headers.get('location'), at);
    if (at.port === '1') return at.searchParams.get('code');
  }
}

let code;
const provider = {
  redirectUrl: 'http://127.0.0.1:1/home',
  clientMetadata: {
    client_name: 'login.mjs',
    redirect_uris: ['http://127.0.0.1:1/home'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: async (page) => {
    assert.equal(page.searchParams.get('resource'), url.href);
    code = await browse(page);
  },
};

const client = () => new Client({ name: 'login.mjs', version: '1' });
const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
await assert.rejects(client().connect(first), UnauthorizedError);
await first.finishAuth(code);

const known = client();
await known.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
const { tools } = await known.listTools();
assert(tools.length > 0);
await known.close();

// A token of the same user for another resource, which the server has to refuse.
async function foreign() {
  const verifier = randomBytes(32).toString('base64url');
  const metadata = await (await fetch(new URL('/.well-known/oauth-protected-resource', url))).json();
  const [issuer] = metadata.authorization_servers;
  const endpoints = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const asked = {
    client_id: kept.client.client_id,
    redirect_uri: provider.redirectUrl,
    resource: 'http://127.0.0.1:1/other',
  };
  const page = new URL(endpoints.authorization_endpoint);
  page.search = new URLSearchParams({
    ...asked,
    response_type: 'code',
    scope: 'memory:read',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const answer = await fetch(endpoints.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      ...asked, grant_type: 'authorization_code', code: await browse(page), code_verifier: verifier,
    }),
  });
  return (await answer.json()).access_token;
}

await writeFile(process.argv[3], kept.tokens.access_token);
await writeFile(process.argv[4], await foreign());
console.log(`logged in, and found ${tools.length} tools`);
