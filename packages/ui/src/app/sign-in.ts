import type { SessionResponse, SignInWays } from '@model-gateway/core/wire';

import { ApiError } from '../api/api-error.ts';
import { callApi, tellOtherPagesOfSession, toApiUrl } from '../api/call-api.ts';
import { queryClient } from '../api/query-client.ts';
import { awaitSession, endSession, forgetPlaygroundKey, getSession, setSession, toSession } from '../api/session.ts';
import { readSignInLink, readSignInProblem } from '../sign-in-link.ts';
import { getDesktop } from './desktop.ts';
import { appMessages } from './messages.ts';

const ASK_AGAIN_MS = 3000;

/** The end of the session before, until the gateway has heard of it. */
let ending: Promise<unknown> = Promise.resolve();

/** Exchanges a management key, or the token of a one-time link, for the cookie of a session. Throws `ApiError`. */
export async function signIn(proof: { readonly key: string } | { readonly token: string }): Promise<void> {
  // Else the end of the one could take the cookie of the other.
  await ending;
  const response = await callApi<SessionResponse>('/admin/v1/session', { method: 'POST', body: proof });
  // It may be another user than the one whom the page has lost sight of.
  forgetPlaygroundKey();
  take(response);
}

/** The ways to sign in beside keys and links. */
export const readSignInWays = async (signal?: AbortSignal): Promise<SignInWays> =>
  (await callApi<{ readonly data: SignInWays }>('/admin/v1/sign-in', { signal })).data;

/** Signs in as the user whom the proxy in front of the gateway names. Throws `ApiError`. */
export async function signInByProxy(): Promise<void> {
  await ending;
  take(await callApi<SessionResponse>('/admin/v1/sign-in/proxy', { method: 'POST' }));
}

/** Where the browser goes to sign in at the provider of identity, and from there back to this screen. */
export const toProviderUrl = (): string =>
  toApiUrl('/admin/v1/sign-in/oidc', { return_to: location.pathname + location.hash });

/** Ends the session here, at the gateway and at the provider of identity, and forgets what was seen. */
export async function signOut(): Promise<void> {
  // Responses that arrive from here on would come too late.
  void queryClient.cancelQueries();
  // Signed out here all the same when the gateway is gone: its sessions go with it.
  const told = callApi<SessionResponse>('/admin/v1/session', { method: 'DELETE' }).catch(() => undefined);
  ending = told;
  endSession();
  remember(false);
  queryClient.clear();
  const data = (await told)?.data;
  if (data?.signed_in === false && data.logout_url !== undefined) location.assign(data.logout_url);
}

/**
 * Finds out who is signed in: by the token of a one-time link, which is taken out of the address and the history at
 * once, or by the cookie of an earlier sign-in. Called once, before anything is shown.
 */
export async function resumeSession(): Promise<void> {
  // The session is set even while the gateway is down; otherwise no screen would show why.
  if (getDesktop() !== undefined) return setSession({ type: 'host', name: appMessages().localUser });
  addEventListener('popstate', takeLateLink, { capture: true });
  const token = takeToken();
  if (token !== null) return signInByLink(token);
  const problem = readSignInProblem(location.hash);
  // A page that is opened again has nothing to say of it.
  if (problem !== null) history.replaceState(null, '', location.pathname);
  await findSession();
  if (getSession().type !== 'none') return;
  if (problem !== null) setSession({ type: 'none', problem });
  else await tryProxy();
}

/** Behind a proxy that signs people in there is nothing to fill in. */
async function tryProxy(): Promise<void> {
  const ways = await readSignInWays().catch(() => undefined);
  if (ways?.proxy == null) return;
  try {
    await signInByProxy();
  } catch (error) {
    setSession({ type: 'none', proxyError: error });
  }
}

/** A link that a user opens in a page that is there already changes its fragment alone, which the router must not see. */
function takeLateLink(event: PopStateEvent): void {
  const token = takeToken();
  if (token === null) return;
  event.stopImmediatePropagation();
  void signInByLink(token);
}

async function signInByLink(token: string): Promise<void> {
  try {
    await signIn({ token });
  } catch (error) {
    // A user who follows a link again is signed in by the first time.
    await findSession();
    if (getSession().type === 'none') setSession({ type: 'none', linkError: error });
  }
}

/** While the gateway's database is away it may not know the session, which is no reason to sign in again. */
async function findSession(): Promise<void> {
  try {
    take(await callApi<SessionResponse>('/admin/v1/session'));
  } catch (error) {
    awaitSession();
    if (!(error instanceof ApiError) || error.status !== 503) return;
    setTimeout(() => {
      // Another page may have signed in meanwhile.
      if (getSession().type === 'none') void findSession();
    }, ASK_AGAIN_MS);
  }
}

function take({ data }: SessionResponse): void {
  if (!data.signed_in) return endSession(wasSignedIn());
  const session = toSession(data);
  setSession(session);
  if (session.type !== 'cookie') return;
  remember(true);
  tellOtherPagesOfSession(session.csrfToken);
}

/** Whether this browser was signed in and did not sign out: a session that is gone has ended without its user. */
const MARK = 'model-gateway.signed-in';

function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

function remember(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(MARK, '1');
    else localStorage.removeItem(MARK);
  } catch {
    // Forbidden: the page will not know.
  }
}

function takeToken(): string | null {
  const link = readSignInLink(new URL(location.href));
  if (link === null) return null;
  history.replaceState(null, '', link.address);
  return link.token;
}

/** Fixed and public: the gateway takes them in demo mode only, where nothing costs anything. */
export const DEMO_MANAGEMENT_KEY = 'sk-gw-v1-demo-management';
export const DEMO_API_KEY = 'sk-gw-v1-demo';
