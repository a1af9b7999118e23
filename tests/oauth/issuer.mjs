// A real authorization server, `oidc-provider`, whose only user agrees to everything. It prints its URL.
// Usage: issuer.mjs PORT RESOURCE
import Provider from 'oidc-provider';

const [port, resource] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
const scopes = 'memory:read memory:write';

const provider = new Provider(url, {
  clients: [],
  scopes: ['openid', 'offline_access', ...scopes.split(' ')],
  pkce: { required: () => true },
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      // Tokens for another resource are made, too: the server under test has to refuse them.
      getResourceServerInfo: (_, audience) => ({
        scope: scopes,
        audience,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
        accessTokenTTL: 600,
      }),
    },
  },
  interactions: { url: (_, interaction) => `${url}/agree/${interaction.uid}` },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: true,
});

// Who is asked agrees at once.
provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/agree/')) return next();
  const { prompt, params, session, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
  if (prompt.name === 'login') {
    return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: 'ann' } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [of, wanted] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(of, wanted.join(' '));
  }
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(ctx.req, ctx.res, { consent }, { mergeWithLastSubmission: true });
});

provider.listen(Number(port), '127.0.0.1', () => console.log(`listening on ${url}`));
