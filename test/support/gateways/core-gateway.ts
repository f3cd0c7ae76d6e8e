import {
  type ChatChunk,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  type GatewayResponse,
  type ModelDefinition,
  type Provider,
  type Transport,
} from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';

import { createVirtualPlatform, type VirtualPlatform } from '../async/virtual-platform.ts';
import { createBroadcastOptions } from '../broadcast/broadcast-options.ts';
import { createRecordingStore, type RecordingStore } from '../stores/recording-store.ts';
import { bodyOf } from './body-of.ts';
import { withCheckedResponses } from './check-responses.ts';

/** A gateway in virtual time whose upstreams are the test's. */
export interface CoreGateway {
  readonly gateway: Gateway;
  readonly platform: VirtualPlatform;
  readonly store: RecordingStore;
  /** Everything logged, as `level message`, with its fields. */
  readonly logged: readonly { readonly line: string; readonly fields: Readonly<Record<string, unknown>> | undefined }[];
  get(path: string, key?: string | null): Promise<GatewayResponse>;
  /** Posts JSON with the API key. */
  post(path: string, body: unknown, request?: Partial<GatewayRequest>): Promise<GatewayResponse>;
  chat(body?: Readonly<Record<string, unknown>>, request?: Partial<GatewayRequest>): Promise<GatewayResponse>;
}

export const API_KEY = 'sk-test-api';
export const MANAGEMENT_KEY = 'sk-test-management';

/** `acme/chat` at Acme and, dearer, at Beta; `acme/other` at Beta alone. */
export const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/chat',
    endpoints: [
      { provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } },
      { provider: 'beta', providerModel: 'chat-b', pricing: { prompt: '0.000003', completion: '0.000006' } },
    ],
  },
  { id: 'acme/other', endpoints: [{ provider: 'beta', providerModel: 'other-b' }] },
];

interface CoreGatewayOptions extends Partial<Omit<GatewayOptions, 'store' | 'platform'>> {
  /** Whether the store takes notes of calls under way. */
  readonly takesNotes?: boolean | undefined;
  /** Whether it is on a runtime where timers and promises belong to requests. */
  readonly isPerRequest?: boolean | undefined;
  /** The store. Default: a new one. */
  readonly recordingStore?: RecordingStore | undefined;
}

/**
 * Sets up a gateway whose responses in JSON are as its routes document them, or else `handle` rejects. Its providers
 * Acme and Beta both use this transport, or its providers are given.
 */
export function createCoreGateway(
  upstream: Transport | readonly Provider[],
  { takesNotes, isPerRequest, recordingStore, ...options }: CoreGatewayOptions = {},
): CoreGateway {
  const store = recordingStore ?? createRecordingStore({ takesNotes });
  const platform = Object.assign(createVirtualPlatform(), { isPerRequest });
  const logged: { line: string; fields: Readonly<Record<string, unknown>> | undefined }[] = [];
  const log = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void logged.push({ line: `${level} ${message}`, fields });
  const providers =
    'send' in upstream
      ? ['acme', 'beta'].map((slug) =>
          createOpenAiProvider({
            slug,
            name: slug === 'acme' ? 'Acme' : 'Beta',
            baseUrl: `https://${slug}.example/v1`,
            apiKey: `key-of-${slug}`,
            transport: upstream,
          }),
        )
      : upstream;
  const made = createGateway({
    models: MODELS,
    platform,
    store,
    providers,
    broadcast: createBroadcastOptions(),
    bootstrapKeys: [
      {
        key: API_KEY,
        kind: 'api',
        name: 'dev',
      },
      {
        key: MANAGEMENT_KEY,
        kind: 'management',
        name: 'admin',
      },
    ],
    logger: {
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    },
    ...options,
    // The public API refuses it; a test of that says so.
    logging: { acceptStore: true, ...options.logging },
  });
  const gateway = withCheckedResponses(made);
  const send = (method: string, path: string, request: Partial<GatewayRequest>): Promise<GatewayResponse> => {
    const [pathname = '', query = ''] = path.split('?');
    return gateway.handle({
      method,
      path: pathname,
      query,
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      headers: { authorization: `Bearer ${API_KEY}` },
      ...bodyOf(),
      ...request,
    });
  };
  const post: CoreGateway['post'] = (path, body, request = {}) =>
    send('POST', path, { ...bodyOf(JSON.stringify(body)), ...request });

  return {
    gateway,
    platform,
    store,
    logged,
    post,
    get: (path, key = API_KEY) =>
      send('GET', path, { headers: key === null ? {} : { authorization: `Bearer ${key}` } }),
    chat: (body = {}, request = {}) =>
      post(
        '/api/v1/chat/completions',
        {
          model: 'acme/chat',
          messages: [
            {
              role: 'user',
              content: 'Hello',
            },
          ],
          // Not balanced, so that tests know who is asked.
          provider: { sort: 'price' },
          ...body,
        },
        request,
      ),
  };
}

/** A provider that streams these batches, then whatever `end` does. Pays no heed to its signal unless `end` does. */
export function createScriptedProvider(
  slug: string,
  batches: readonly (readonly ChatChunk[])[],
  end: (signal: AbortSignal) => Promise<void> | void = () => undefined,
): Provider {
  return {
    slug,
    name: slug === 'acme' ? 'Acme' : 'Beta',
    dataPolicy: { training: null, retainsPrompts: null },
    async *chat({ signal }) {
      yield* batches;
      await end(signal);
    },
  };
}

/** The parsed JSON of a response in one piece. */
export function jsonOf(response: GatewayResponse): Record<string, unknown> {
  if (typeof response.body !== 'string') throw new TypeError('The body is no text');
  return JSON.parse(response.body) as Record<string, unknown>;
}

/** Reads the frames of a streamed response one by one, as a client does. */
export interface FrameReader {
  /** The text of the next piece; undefined at the end. */
  next(): Promise<string | undefined>;
  /** Everything to the end. */
  rest(): Promise<string>;
  /** Stops reading, as a host does that has lost its client. */
  leave(): Promise<void>;
}

export function readFrames({ body }: GatewayResponse): FrameReader {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array)
    throw new TypeError('The body is no stream');
  const iterator = body[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const result = await iterator.next();
    return result.done === true ? undefined : new TextDecoder().decode(result.value);
  };
  return {
    next,
    async rest() {
      let text = '';
      for (let piece = await next(); piece !== undefined; piece = await next()) text += piece;
      return text;
    },
    async leave() {
      await iterator.return?.();
    },
  };
}

export interface WireChunk {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  readonly choices: readonly {
    readonly delta: { readonly content?: string; readonly [field: string]: unknown };
    readonly finish_reason: string | null;
    readonly native_finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

/** The frames of a stream, each told by what it is: `comment`, `done`, or the chunk it holds. */
export function parseFrames(text: string): ('comment' | 'done' | WireChunk)[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      if (frame.startsWith(':')) return 'comment';
      if (frame === 'data: [DONE]') return 'done';
      return JSON.parse(frame.replace(/^data: /, '')) as WireChunk;
    });
}

/** The chunks among the frames of a stream. */
export function chunksOf(text: string): WireChunk[] {
  return parseFrames(text).filter((frame) => typeof frame === 'object');
}
