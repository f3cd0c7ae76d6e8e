import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** Somebody whom the provider knows. */
export interface Person {
  email: string;
  name: string;
  /** The claim is left out where this is. */
  groups?: readonly string[];
}

/** Also those that no honest provider signs. */
type Claims = Readonly<Record<string, unknown>>;

/** A real provider of identity on a socket of this machine, with a page to sign in by the name of a person. */
export interface RunningProvider {
  readonly issuer: string;
  /** By their subjects. Whoever is taken out is not there any more. */
  readonly people: Map<string, Person>;
  /** Makes the provider what it is for these gateways, of which the first gets the back-channel logouts. */
  serve(gateways: readonly string[], options?: { readonly hasSessions?: boolean }): void;
  /** Changes the claims of each ID token before it is signed, or leaves it out, until it is undefined again. */
  tamper: ((claims: JWTPayload) => Claims | undefined) | undefined;
  /** With this status the address with the claims of a user answers, until it is undefined again. */
  userInfoStatus: number | undefined;
  /** While true, every request is answered by 503. */
  isAway: boolean;
  /** Signs with another key from now on, and offers the new one alone. */
  rotateKey(): void;
  /** A token that the provider has signed. */
  sign(claims: Claims, header?: { readonly alg: string; readonly typ?: string }): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { clientId: 'gateway', clientSecret: 'a-secret-of-the-client-of-the-gateway' };
const SCOPE = 'openid profile email offline_access';

export async function startOidcProvider(): Promise<RunningProvider> {
  const people = new Map<string, Person>();
  let key = createKey();
  let provider: Provider | undefined;
  let served: Parameters<RunningProvider['serve']> = [[]];
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('connection', 'close');
    if (running.isAway || provider === undefined) return void response.writeHead(503).end();
    if (request.url === '/me' && running.userInfoStatus !== undefined)
      return void response.writeHead(running.userInfoStatus).end();
    if (request.url?.startsWith('/interaction/') === true) return interact(provider, request, response);
    if (request.url === '/token' && running.tamper !== undefined) tamperWith(response, running.tamper, running.sign);
    await provider.callback()(request, response);
  };

  const running: RunningProvider = {
    issuer,
    people,
    tamper: undefined,
    userInfoStatus: undefined,
    isAway: false,
    serve(...given) {
      served = given;
      provider = createProvider(issuer, people, key, served);
    },
    rotateKey() {
      key = createKey();
      running.serve(...served);
    },
    sign: async (claims, header = { alg: 'ES256' }) =>
      new SignJWT(claims).setProtectedHeader({ kid: String(key.kid), ...header }).sign(await importJWK(key, 'ES256')),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}

type Key = JsonWebKey & { readonly kid: string };

let keys = 0;
function createKey(): Key {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: `key-${(keys += 1)}`, use: 'sig', alg: 'ES256' };
}

function createProvider(
  issuer: string,
  people: ReadonlyMap<string, Person>,
  key: Key,
  [gateways, { hasSessions = true } = {}]: Parameters<RunningProvider['serve']>,
): Provider {
  const paths = gateways.map((url) => `${url}/admin/v1/sign-in/oidc`);
  const provider: Provider = new Provider(issuer, {
    jwks: { keys: [key] },
    adapter: createAdapter,
    cookies: { keys: ['a key of the cookies of the provider'] },
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: paths.map((path) => `${path}/callback`),
        post_logout_redirect_uris: gateways.map((url) => `${url}/ui/`),
        backchannel_logout_uri: `${paths[0]}/back-channel-logout`,
        backchannel_logout_session_required: hasSessions,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_: unknown, accountId: string) => {
      const person = people.get(accountId);
      if (person === undefined) return undefined;
      return { accountId, claims: () => ({ sub: accountId, email_verified: true, ...person }) };
    },
    // Its own refuses addresses of this machine.
    fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) => fetch(url, init),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    // Each is good for one use; a second one ends all that it was for.
    rotateRefreshToken: true,
    // Whoever signs in has agreed.
    async loadExistingGrant({ oidc }: { oidc: { session: { accountId: string }; client: { clientId: string } } }) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
    renderError: (context: { body: string }, { error }: { error: string }) => void (context.body = toPage(error)),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(context: { body: string }, form: string) {
          const button = '<button name="logout" value="yes" form="op.logoutForm">Sign out everywhere</button>';
          context.body = toPage(form + button);
        },
        postLogoutSuccessSource: (context: { body: string }) => void (context.body = toPage('Signed out')),
      },
    },
    ttl: { IdToken: 600, AccessToken: 600, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
  });
  return provider;
}

const held = new Map<string, Held>();
interface Held {
  readonly payload: Record<string, unknown> & { grantId?: string; uid?: string; consumed?: number };
}

/** What the provider holds: in memory, by the name of the kind and the id. */
function createAdapter(kind: string) {
  const find = (isIt: (held: Held['payload']) => boolean): Held['payload'] | undefined =>
    [...held].find(([key, { payload }]) => key.startsWith(`${kind}:`) && isIt(payload))?.[1].payload;
  return {
    upsert: async (id: string, payload: Held['payload']) => void held.set(`${kind}:${id}`, { payload }),
    find: async (id: string) => held.get(`${kind}:${id}`)?.payload,
    findByUid: async (uid: string) => find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    async consume(id: string) {
      const found = held.get(`${kind}:${id}`);
      if (found !== undefined) found.payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id: string) => void held.delete(`${kind}:${id}`),
    async revokeByGrantId(grantId: string) {
      for (const [key, { payload }] of held) if (payload.grantId === grantId) held.delete(key);
    },
  };
}

const toPage = (body: string): string =>
  `<!doctype html><html lang="en"><title>Provider</title><body><h1>Provider</h1>${body}</body></html>`;

/** The page to sign in, and what becomes of its form. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    const form = '<form method="post"><label>User <input name="user"></label><button>Sign in there</button></form>';
    return void response.setHeader('content-type', 'text/html').end(toPage(form));
  }
  let text = '';
  for await (const piece of request) text += String(piece);
  const accountId = new URLSearchParams(text).get('user') ?? '';
  await provider.interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false });
}

/** Exchanges the ID token of a response of the token endpoint. */
function tamperWith(
  response: ServerResponse,
  change: (claims: JWTPayload) => Claims | undefined,
  sign: RunningProvider['sign'],
): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  const send = async (body: string): Promise<void> => {
    const tokens = JSON.parse(body) as { id_token?: string };
    const claims = tokens.id_token === undefined ? undefined : change(decodeJwt(tokens.id_token));
    if (claims === undefined) delete tokens.id_token;
    else tokens.id_token = await sign(claims);
    response.removeHeader('content-length');
    end(JSON.stringify(tokens));
  };
  response.end = ((body: string | Buffer) => {
    void send(String(body));
    return response;
  }) as typeof response.end;
}
