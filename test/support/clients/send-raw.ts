import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as createRequest } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request just as it is said: `fetch` tidies paths and refuses some headers. */
export async function sendRaw(
  origin: string,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(origin);
  const { body, ...rest } = options;
  const request = createRequest({ hostname, port, path, agent: false, ...rest });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
