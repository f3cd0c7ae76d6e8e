import { createHash } from 'node:crypto';

import type { Provider } from '@model-gateway/core';
import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';

import type { EndpointPricing } from '../../../packages/core/src/wire/model-definition.ts';
import { createScriptedTransport, type ScriptedTransport } from '../upstreams/scripted-transport.ts';
import { API_KEY, type CoreGateway, createCoreGateway, jsonOf, MANAGEMENT_KEY } from './core-gateway.ts';

/** Tokens of a call, as the provider counts them. */
export interface CountedCall {
  readonly prompt: number;
  readonly read: number;
  readonly written5m: number;
  readonly written1h: number;
}

interface Entry {
  tokens: number;
  keptMs: number;
  until: number;
}

type Block = Readonly<Record<string, unknown>>;
type Ttl = '5m' | '1h' | null;

const MINUTE_MS = 60_000;
const KEPT_MS = { '5m': 5 * MINUTE_MS, '1h': 60 * MINUTE_MS };
/** Tokens below which this model caches nothing. */
export const MINIMUM = 1024;
const LOOK_BACK = 20;

const isBlock = (value: unknown): value is Block => typeof value === 'object' && value !== null;
const ttlOf = (block: Block): Ttl => {
  const mark = block['cache_control'];
  if (!isBlock(mark)) return null;
  return mark['ttl'] === '1h' ? '1h' : '5m';
};
const listOf = (value: unknown): Block[] =>
  typeof value === 'string' ? [{ type: 'text', text: value }] : Array.isArray(value) ? (value as Block[]) : [];

/** The blocks of a body in the order in which they are cached, each with the mark at its end. */
function toBlocks(body: Block): { text: string; ttl: Ttl }[] {
  const own = (place: string, block: Block): { text: string; ttl: Ttl } => {
    const { cache_control: _, ...rest } = block;
    const inner = listOf(block['content']).map(ttlOf);
    const text = JSON.stringify(rest, (name, value: unknown) => (name === 'cache_control' ? undefined : value));
    return { text: `${place} ${text}`, ttl: ttlOf(block) ?? inner.findLast((ttl) => ttl !== null) ?? null };
  };
  return [
    ...listOf(body['tools']).map((tool) => own('tools', tool)),
    ...listOf(body['system']).map((block) => own('system', block)),
    ...listOf(body['messages']).flatMap((message) =>
      listOf(message['content']).map((block) => own(String(message['role']), block)),
    ),
  ];
}

/**
 * The cache of a provider with marks, as its documentation describes it: a prefix is written at each mark, and read at a
 * mark or up to 20 blocks before one; its time begins again when it is read.
 */
export function createPromptCache(now: () => number): (body: Block) => CountedCall {
  const entries = new Map<string, Entry>();
  return (body) => {
    const hash = createHash('sha256');
    let tokens = 0;
    const ends = toBlocks(body).map(({ text, ttl }) => {
      hash.update(text);
      tokens += Math.ceil(text.length / 3.6);
      return { key: hash.copy().digest('hex'), tokens, ttl };
    });
    let read = 0;
    for (const [at, { ttl }] of ends.entries()) {
      if (ttl === null) continue;
      for (let back = at; back >= Math.max(0, at - LOOK_BACK); back -= 1) {
        const entry = entries.get(ends[back]?.key ?? '');
        if (entry === undefined || entry.until < now()) continue;
        entry.until = now() + entry.keptMs;
        read = Math.max(read, entry.tokens);
        break;
      }
    }
    const written = { '5m': 0, '1h': 0 };
    let from = read;
    for (const { key, tokens: to, ttl } of ends) {
      if (ttl === null || to < MINIMUM || to <= from) continue;
      written[ttl] += to - from;
      from = to;
      entries.set(key, { tokens: to, keptMs: KEPT_MS[ttl], until: now() + KEPT_MS[ttl] });
    }
    return { prompt: tokens, read, written5m: written['5m'], written1h: written['1h'] };
  };
}

/** Nano-dollars a token, so that a test's own arithmetic is in whole numbers. */
export const NANO = { prompt: 3000, read: 300, write5m: 3750, write1h: 6000 };
/** The same as prices of a model. */
export const PRICING = {
  prompt: '0.000003',
  completion: '0.000015',
  input_cache_read: '0.0000003',
  input_cache_write: '0.00000375',
  input_cache_write_1h: '0.000006',
};

/** Nano-dollars for the prompt of a call. */
export const nanoOf = ({ prompt, read, written5m, written1h }: CountedCall): number =>
  read * NANO.read +
  written5m * NANO.write5m +
  written1h * NANO.write1h +
  (prompt - read - written5m - written1h) * NANO.prompt;

export interface CachingGateway {
  readonly core: CoreGateway;
  readonly transport: ScriptedTransport;
  /** What the provider counted for each call so far. */
  readonly counted: readonly CountedCall[];
  /** The bodies that were sent, oldest first. */
  readonly bodies: () => readonly Block[];
}

/** A gateway with one model at a provider that caches by marks; `automatic`: the gateway sets them. */
export function createCachingGateway(
  automatic: boolean,
  { pricing = PRICING, cacheCauses }: { readonly pricing?: EndpointPricing; readonly cacheCauses?: boolean } = {},
): CachingGateway {
  const counted: CountedCall[] = [];
  const clock: { now: () => number } = { now: () => 0 };
  const count = createPromptCache(() => clock.now());
  const transport = createScriptedTransport((exchange) => {
    const call = count(exchange.sent);
    counted.push(call);
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(toMessage(call)));
    exchange.end();
  });
  const provider: Provider = createAnthropicProvider({
    slug: 'up',
    name: 'Up',
    baseUrl: 'https://up.example/v1',
    apiKey: 'key',
    transport,
  });
  const core = createCoreGateway([provider], {
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'claude-sonnet-4-5', pricing }] }],
    logging: { cacheCauses },
    account: { routing: { automaticCacheMarks: automatic } },
  });
  clock.now = core.platform.now;
  return { core, transport, counted, bodies: () => transport.exchanges.map(({ sent }) => sent) };
}

/** The response to a counted call. */
export const toMessage = ({ prompt, read, written5m, written1h }: CountedCall): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Done.' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: prompt - read - written5m - written1h,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written5m + written1h,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
    output_tokens: 5,
  },
});

/** A call of an application, and how long it rests before. */
export interface AgentCall {
  readonly app: string;
  readonly session: string;
  readonly restMs: number;
  readonly body: Record<string, unknown>;
}

/** Sends calls in their order, each after its rest, with a key; returns the ids of their generations. */
export async function playCalls(
  { core }: Pick<CachingGateway, 'core'>,
  calls: readonly AgentCall[],
  key = API_KEY,
): Promise<string[]> {
  const ids: string[] = [];
  for (const { app, session, restMs, body } of calls) {
    await core.platform.advance(restMs);
    const response = await core.post(
      '/api/v1/chat/completions',
      { model: 'test/model', max_tokens: 64, session_id: session, ...body },
      { headers: { authorization: `Bearer ${key}`, 'http-referer': app } },
    );
    if (response.status !== 200) throw new Error(`Refused: ${JSON.stringify(jsonOf(response))}`);
    ids.push(response.headers['x-generation-id'] ?? '');
  }
  return ids;
}

const ADMIN = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };

/** Makes a workspace with an API key. */
export async function makeWorkspace({ core }: Pick<CachingGateway, 'core'>): Promise<{ id: string; key: string }> {
  const made = jsonOf(await core.post('/api/v1/workspaces', { name: 'Films', slug: 'films' }, ADMIN));
  const { id } = made['data'] as { readonly id: string };
  const { key } = jsonOf(await core.post('/api/v1/keys', { name: 'films', workspace_id: id }, ADMIN));
  return { id, key: String(key) };
}

/** Says for a workspace whether its prompts are marked; null leaves it to the account. */
export async function setMarks(
  { core }: Pick<CachingGateway, 'core'>,
  id: string,
  isMarked: boolean | null,
): Promise<void> {
  const body = { automatic_cache_marks: isMarked };
  const { status } = await core.post(`/api/v1/workspaces/${id}`, body, { ...ADMIN, method: 'PATCH' });
  if (status !== 200) throw new Error(`Refused with ${status}`);
}
