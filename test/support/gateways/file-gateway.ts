import {
  createMemoryFileStorage,
  type FileOptions,
  type FileStorage,
  type GatewayResponse,
  type Provider,
  type Transport,
} from '@model-gateway/core';

import { createScriptedTransport } from '../upstreams/scripted-transport.ts';
import { bodyOf } from './body-of.ts';
import { API_KEY, type CoreGateway, createCoreGateway } from './core-gateway.ts';

/** A gateway in virtual time that stores files in memory. */
export interface FileGateway extends CoreGateway {
  readonly storage: FileStorage;
  call(method: string, path: string, options?: CallOptions): Promise<GatewayResponse>;
  upload(content: string, options?: UploadOptions): Promise<GatewayResponse>;
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UploadOptions extends CallOptions {
  readonly filename?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Sets one up, over upstreams that do not respond or those given. */
export function createFileGateway(
  limits: Partial<FileOptions> = {},
  upstream: Transport | readonly Provider[] = createScriptedTransport(),
  options: Parameters<typeof createCoreGateway>[1] = {},
): FileGateway {
  let now = (): number => 0;
  const storage = createMemoryFileStorage({
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    now: () => now(),
  });
  const core = createCoreGateway(upstream, { files: { storage, ...limits }, ...options });
  ({ now } = core.platform);
  const send = (method: string, path: string, { key = API_KEY, headers = {} }: CallOptions, body = bodyOf()) => {
    const [pathname = '', query = ''] = path.split('?');
    return core.gateway.handle({
      method,
      path: pathname,
      query,
      headers: { authorization: `Bearer ${key}`, ...headers },
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...body,
    });
  };
  return {
    ...core,
    storage,
    call: (method, path, options = {}) => send(method, path, options),
    async upload(content, { filename = 'a.txt', fields = {}, query = '', ...options } = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([Buffer.from(content, 'latin1')]), filename);
      const request = new Request('https://gateway.example', { method: 'POST', body: form });
      const headers = { 'content-type': request.headers.get('content-type') ?? '', ...options.headers };
      const body = bodyOf(new Uint8Array(await request.arrayBuffer()));
      return send('POST', `/api/v1/files${query}`, { ...options, headers }, body);
    },
  };
}
