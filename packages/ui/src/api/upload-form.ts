import { ApiError, toApiError } from './api-error.ts';
import { type Caller, hasNewSession, tellOtherPages, toApiUrl, toAuthHeaders } from './call-api.ts';
import { apiMessages } from './messages.ts';
import { endSession, getSession } from './session.ts';

export interface Upload {
  readonly caller?: Caller | undefined;
  /** Called with the share that has been sent, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a form and returns the JSON of the response. By XMLHttpRequest, because `fetch` does not tell how much has been
 * sent. Throws `ApiError`, and the signal's reason when it fires.
 */
export async function uploadForm<Body>(path: string, form: FormData, upload: Upload = {}): Promise<Body> {
  const session = getSession();
  try {
    return await send(path, form, upload);
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 403;
    if (!isRefused || !(await hasNewSession(session, upload.caller))) throw error;
    return send(path, form, upload);
  }
}

function send<Body>(path: string, form: FormData, upload: Upload): Promise<Body> {
  const { caller, onProgress, signal } = upload;
  return new Promise<Body>((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    const fail = (): void => reject(new ApiError(apiMessages().unreachable, { status: 0, errorType: 'unreachable' }));
    request.open('POST', toApiUrl(path));
    for (const [name, value] of Object.entries(toAuthHeaders(caller, 'POST'))) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded / total);
    });
    request.addEventListener('error', fail);
    request.addEventListener('abort', () => (signal?.aborted === true ? reject(signal.reason as Error) : fail()));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.addEventListener('load', () => {
      const body = toJson(request.responseText);
      if (request.status >= 200 && request.status < 300) {
        if (caller === undefined) tellOtherPages();
        return resolve(body as Body);
      }
      if (request.status === 401 && caller === undefined && getSession().type === 'cookie') endSession(true);
      reject(toApiError(request.status, body, request.getResponseHeader('retry-after')));
    });
    signal?.addEventListener('abort', abort);
    request.send(form);
  });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
