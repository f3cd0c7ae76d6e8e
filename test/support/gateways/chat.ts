import { TEST_KEY } from './test-gateway.ts';

/** The headers of a caller with this key. */
export const withKey = (key = TEST_KEY): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${key}` },
});

export interface ChatResponse {
  readonly status: number;
  readonly body: { readonly id: string; readonly error: { readonly code: number } };
}

/** Sends a chat request, or a text in its place, without any client in between. */
export async function chat(
  apiUrl: string,
  body: object | string,
  key = TEST_KEY,
  signal?: AbortSignal,
): Promise<ChatResponse> {
  const response = await fetch(`${apiUrl}/chat/completions`, {
    method: 'POST',
    headers: { ...withKey(key).headers, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  return { status: response.status, body: (await response.json()) as ChatResponse['body'] };
}
