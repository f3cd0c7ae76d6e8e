import { ApiError, toApiError } from './api-error.ts';
import { endSession, getSession, toSessionHeaders } from './session.ts';

/** Undefined, empty text and false-like absences are left out of the query. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Instead of the session: the playground calls models with an API key. */
  readonly key?: string | undefined;
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
    throw new ApiError('The answer broke off before its end', { status: 0, errorType: 'unreachable' });
  }
}

/** The same, with the body of the response unread; a response that is not a success throws. */
export async function openApi(path: string, call: ApiCall = {}): Promise<Response> {
  const { method = 'GET', query, body, signal, key } = call;
  const headers: Record<string, string> =
    key === undefined ? toSessionHeaders(getSession(), method) : { authorization: `Bearer ${key}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(toApiUrl(path, query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The gateway cannot be reached', { status: 0, errorType: 'unreachable' });
  }
  // A session that is not valid any more ends at its first refusal.
  if (response.status === 401 && key === undefined) endSession();
  if (!response.ok) throw await readError(response);
  return response;
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  return toApiError(response.status, body, response.headers.get('retry-after'));
}
