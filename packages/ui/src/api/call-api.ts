import type { SessionResponse } from '@model-gateway/core/wire';

import { ApiError, toApiError } from './api-error.ts';
import { apiMessages } from './messages.ts';
import { endSession, getSession, type Session, setSession, toSession, toSessionHeaders, toUserKey } from './session.ts';

const channel = new BroadcastChannel('model-gateway');

/** Tells the other pages of this browser that something has been changed. */
export const tellOtherPages = (): void => channel.postMessage('changed');

/** Calls back when another page of this browser has changed something. */
export function onOtherPagesChange(listener: () => void): void {
  channel.addEventListener('message', ({ data }) => {
    if (data === 'changed') listener();
  });
}

/** Tells the other pages of this browser which session its cookie is of now: they share the cookie. */
export const tellOtherPagesOfSession = (csrfToken: string): void => channel.postMessage({ csrfToken });

channel.addEventListener('message', ({ data }: MessageEvent<{ readonly csrfToken?: string }>) => {
  const session = getSession();
  const isOther = data.csrfToken !== undefined && session.type === 'cookie' && session.csrfToken !== data.csrfToken;
  if (isOther) void readSession();
});

/** Undefined, empty text and false-like absences are left out of the query. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Whose rights the call has, instead of those of the session: the playground calls models as an API key. */
  readonly caller?: Caller | undefined;
  /** Reaches the gateway although the page goes. */
  readonly isKept?: boolean;
}

/** An API key, or the hash of one that the session may act as. With neither, the host of the page vouches for the user. */
export interface Caller {
  readonly key?: string;
  readonly keyHash?: string;
}

/** The page is at `…/ui/` (or at the root of the desktop's scheme), the API beside it. */
export function toApiUrl(path: string, query: Query = {}): string {
  const url = new URL(`..${path}`, new URL('.', document.baseURI));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Calls an operation and returns its JSON. Throws `ApiError`, and the signal's reason when it fires. */
export async function callApi<Body>(path: string, call: ApiCall = {}): Promise<Body> {
  const response = await openApi(path, call);
  try {
    return (await response.json()) as Body;
  } catch (error) {
    if (call.signal?.aborted === true) throw error;
    throw new ApiError(apiMessages().brokenOff, { status: 0, errorType: 'unreachable' });
  }
}

/** The same, with the body of the response unread; a response that is not a success throws. */
export async function openApi(path: string, call: ApiCall = {}): Promise<Response> {
  const { method = 'GET', caller } = call;
  const session = getSession();
  let response = await send(path, call);
  // It was refused before anything was done.
  const isRefusedWrite = response.status === 403 && method !== 'GET';
  if (isRefusedWrite && (await hasNewSession(session, caller))) response = await send(path, call);
  // A session that is not valid any more ends at its first refusal.
  if (response.status === 401 && caller === undefined && getSession().type === 'cookie') endSession(true);
  if (!response.ok) throw await readError(response);
  if (method !== 'GET' && caller === undefined && !QUESTIONS.test(path)) tellOtherPages();
  return response;
}

let reading: Promise<void> | undefined;

/**
 * Finds out, after a refusal, whether another page has begun a new session since this one sent a write: their cookie is
 * one, and the CSRF token of the session before is no good. Of the same user the write may be sent again; what another
 * user has typed is not theirs.
 */
export async function hasNewSession(sent: Session, caller: Caller | undefined): Promise<boolean> {
  if (sent.type !== 'cookie' || caller?.key !== undefined) return false;
  if (getSession() === sent) await readSession();
  const now = getSession();
  return now.type === 'cookie' && now.csrfToken !== sent.csrfToken && toUserKey(now) === toUserKey(sent);
}

/** Takes over the session that the cookie is of. Never rejects: the refusal before, or the next one, says more. */
function readSession(): Promise<void> {
  const before = getSession();
  const take = ({ data }: SessionResponse): void => {
    // The user may have signed out meanwhile.
    if (getSession() !== before || before.type !== 'cookie') return;
    if (!data.signed_in) endSession(true);
    else if (data.csrf_token !== before.csrfToken) setSession(toSession(data));
  };
  reading ??= callApi<SessionResponse>('/admin/v1/session')
    .then(take, () => undefined)
    .finally(() => (reading = undefined));
  return reading;
}

async function send(path: string, call: ApiCall): Promise<Response> {
  const { method = 'GET', query, body, signal, caller, isKept = false } = call;
  const headers = toAuthHeaders(caller, method);
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(toApiUrl(path, query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      credentials: 'same-origin',
      cache: 'no-store',
      // Browsers promise it for the web alone, and the desktop app has a scheme of its own.
      keepalive: isKept && location.protocol.startsWith('http'),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(apiMessages().unreachable, { status: 0, errorType: 'unreachable' });
  }
}

/** Operations that change nothing, although they have a body. */
const QUESTIONS = /\/(explain|test|provider-tests|dry-runs|estimate)$/;

/** The headers that say who calls. */
export function toAuthHeaders(caller: Caller | undefined, method: string): Record<string, string> {
  if (caller?.key !== undefined) return { authorization: `Bearer ${caller.key}` };
  const headers = toSessionHeaders(getSession(), method);
  return caller?.keyHash === undefined ? headers : { ...headers, 'x-act-as-key': caller.keyHash };
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  return toApiError(response.status, body, response.headers.get('retry-after'));
}
