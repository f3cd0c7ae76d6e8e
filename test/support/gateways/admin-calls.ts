import { createScriptedTransport } from '../upstreams/scripted-transport.ts';
import { bodyOf } from './body-of.ts';
import { type CoreGateway, createCoreGateway, jsonOf, MANAGEMENT_KEY } from './core-gateway.ts';

export interface AdminResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Values that were written or read; some names of each kind exist. */
export interface Data {
  readonly id: string;
  readonly hash: string;
  readonly default_guardrail_id: string;
  readonly [field: string]: unknown;
}

/** A gateway to be administered, without upstreams. */
export interface AdminGateway extends CoreGateway {
  /** Sends a request below `/api/v1`, or to a path that begins with `/admin`; by default with the management key. */
  call(method: string, path: string, body?: unknown, key?: string, remoteAddress?: string): Promise<AdminResponse>;
  /** The same, and the `data` of what must be a success. */
  dataOf(method: string, path: string, body?: unknown): Promise<Data>;
}

/** Sets up a gateway in virtual time. */
export function createAdminGateway(options: Parameters<typeof createCoreGateway>[1] = {}): AdminGateway {
  const core = createCoreGateway(createScriptedTransport(), options);
  const call: AdminGateway['call'] = async (method, path, body, key = MANAGEMENT_KEY, remoteAddress) => {
    const [pathname = '', query = ''] = (path.startsWith('/admin') ? path : `/api/v1${path}`).split('?');
    const response = await core.gateway.handle({
      method,
      path: pathname,
      query,
      headers: { authorization: `Bearer ${key}` },
      baseUrl: 'https://gateway.example',
      remoteAddress,
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
    });
    return { status: response.status, body: jsonOf(response) };
  };
  return {
    ...core,
    call,
    async dataOf(method, path, body) {
      const { status, body: result } = await call(method, path, body);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(result)}`);
      return result['data'] as Data;
    },
  };
}
