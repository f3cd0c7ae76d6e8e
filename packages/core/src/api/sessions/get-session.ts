import { isSignedInByHost } from '../../auth/authenticate.ts';
import { toGatewayError } from '../../foundation/errors.ts';
import { publicOperation } from '../../http/operation.ts';
import type { Principal, PublicContext } from '../../http/request.ts';
import { type SessionData, sessionResponseSchema } from '../../wire/keys.ts';
import type { SessionParts } from './session-parts.ts';
import { toSessionData } from './to-session-data.ts';

type SessionContext = Pick<PublicContext<SessionParts>, 'request' | 'parts'>;

/** `GET /admin/v1/session`: whether the browser is signed in, and what its writes have to carry. */
export const getSession = publicOperation<SessionParts>()({
  response: sessionResponseSchema,
  responseHeaders: { 'cache-control': '`no-store`' },
  async run(context) {
    const isDemo = context.parts.sessions !== null && context.parts.hasPublicKey;
    const data = (await findSession(context)) ?? { signed_in: false, ...(isDemo && { demo: true }) };
    context.responseHeaders['cache-control'] = 'no-store';
    return { data };
  },
});

async function findSession(context: SessionContext): Promise<SessionData | undefined> {
  const { request, parts } = context;
  const isHosts = isSignedInByHost(request) || parts.sessions === null;
  const session = isHosts ? undefined : await parts.sessions?.find(request);
  if (!isHosts && session === undefined) return undefined;
  const principal = await authenticate(context);
  // The key may be gone by now.
  if (principal?.kind !== 'management') return undefined;
  return session === undefined ? toHostSessionData(principal) : toSessionData(session);
}

/** Not by a key in the headers: this is about browsers. */
async function authenticate({ request, parts }: SessionContext): Promise<Principal | undefined> {
  try {
    return await parts.authenticate({ ...request, headers: { ...request.headers, authorization: undefined } });
  } catch (error) {
    if (toGatewayError(error).code === 'authentication') return undefined;
    throw error;
  }
}

/** The host has its own sign-in, and its own guard against forged requests. */
const toHostSessionData = ({ name }: Principal): SessionData => ({
  signed_in: true,
  name,
  csrf_token: '',
  expires_at: null,
});
