import { expect, test } from 'vitest';

import { createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { joinPieces, readPieces } from '../foundation/transport.ts';
import type { GatewayResponse } from '../http/response.ts';
import { createOpenAiProvider } from '../providers/openai/openai-provider.ts';
import type { EmbeddingsCall, Provider } from '../providers/provider.ts';
import { writtenWayOf } from '../providers/written-embeddings.ts';

type Format = 'float' | 'base64';

const encoder = new TextEncoder();
const COUNT = 3;
const MODELS = [
  {
    id: 'test/vectors',
    architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
    endpoints: [{ provider: 'up', providerModel: 'vectors-1', pricing: { prompt: '0.000001' } }],
  },
];

/** A small generator of random numbers from 0 to 1, the same for every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const toBase64 = (vector: readonly number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64');

/** A body with vectors of this length. */
function toBody(format: Format, length: number, indent?: number): string {
  const random = createRandom(1);
  const data = Array.from({ length: COUNT }, (_, index) => {
    const vector = Array.from({ length }, () => random() * 2 - 1);
    return { object: 'embedding', index, embedding: format === 'float' ? vector : toBase64(vector) };
  });
  const usage = { prompt_tokens: 7, total_tokens: 7 };
  return JSON.stringify({ object: 'list', data, model: 'vectors-1 é', usage }, null, indent);
}

interface Asked {
  readonly format?: Format;
  /** Whether a function around the provider's own looks at the vectors. */
  readonly isWrapped?: boolean;
}

/** A provider whose upstream sends these pieces. */
function createUp(pieces: readonly (string | Uint8Array)[]): Provider {
  const transport = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces });
  return createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl: 'https://up.example/v1', apiKey: 'k', transport });
}

const input = Array.from({ length: COUNT }, (_, index) => `text ${index}`);

/** Asks a gateway for vectors over an upstream that sends this body in these pieces. */
async function embed(pieces: readonly (string | Uint8Array)[], { format = 'float', isWrapped }: Asked = {}) {
  const own = createUp(pieces);
  const wrapped: Provider = { ...own, embeddings: async (call) => (await own.embeddings?.(call)) ?? { vectors: [] } };
  const core = createCoreGateway([isWrapped === true ? wrapped : own], { models: MODELS });
  const request = { model: 'test/vectors', input, ...(format === 'base64' && { encoding_format: format }) };
  const response = await core.post('/api/v1/embeddings', request);
  return { status: response.status, headers: response.headers, text: await textOf(response) };
}

/** What a provider says of a body: everything but the way the vectors come, or why it refuses the body. */
async function tell(pieces: readonly Uint8Array[], format: Format, isUnread: boolean) {
  const { embeddings } = createUp(pieces);
  const ask = isUnread ? embeddings && writtenWayOf(embeddings) : embeddings;
  const request = { model: 'test/vectors', input, encoding_format: format };
  const call: EmbeddingsCall = {
    request,
    providerModel: 'vectors-1',
    signal: new AbortController().signal,
    timeoutMs: 1000,
  };
  try {
    const result = await ask?.(call);
    if (result === undefined || !('written' in result)) return { isUnread: false, ...result };
    const { written, ...facts } = result;
    const data = JSON.parse(new TextDecoder().decode(joinPieces(written.pieces))) as { embedding: unknown }[];
    expect(written.count).toBe(data.length);
    return { isUnread: true, vectors: data.map(({ embedding }) => embedding), ...facts };
  } catch (error) {
    return { isUnread: false, error: String(error) };
  }
}

async function textOf({ body }: GatewayResponse): Promise<string> {
  if (typeof body === 'string' || body === null) return body ?? '';
  return new TextDecoder().decode(body instanceof Uint8Array ? body : await readPieces(body));
}

function cutAt(bytes: Uint8Array, length: number | ((at: number) => number)): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const size = Math.floor(typeof length === 'number' ? length : length(at));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** What differs from one call to the next left out. */
const withoutId = (text: string): unknown => {
  const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
};

const CHUNKINGS: readonly [string, (bytes: Uint8Array) => Uint8Array[]][] = [
  ['at once', (bytes) => [bytes]],
  ['byte by byte', (bytes) => cutAt(bytes, 1)],
  ['in pieces of 1,000 bytes', (bytes) => cutAt(bytes, 1000)],
  ['in uneven pieces', (bytes) => cutAt(bytes, (at) => 1 + ((at * 7919) % 701))],
];

test.each(
  (['float', 'base64'] as const).flatMap((format) =>
    CHUNKINGS.flatMap(([name, cut]) => [0, 2].map((indent) => [format, name, indent, cut] as const)),
  ),
)('hands %s vectors on byte by byte when they come %s, indented by %d', async (format, _, indent, cut) => {
  const body = toBody(format, 2000, indent);
  const list = body.slice(body.indexOf('['), body.lastIndexOf(']') + 1);
  const { status, headers, text } = await embed(cut(encoder.encode(body)), { format });
  expect(status).toBe(200);
  expect(text.includes(`,"data":${list},"usage":{"prompt_tokens":7,`)).toBe(true);
  expect(headers['content-length']).toBe(String(encoder.encode(text).byteLength));
  const { text: parsed } = await embed([body], { format, isWrapped: true });
  expect(withoutId(text)).toEqual(withoutId(parsed));
});

function takeTurns<T>(list: readonly T[], turn: number): T {
  const taken = list[turn % list.length];
  if (taken === undefined) throw new Error('The list is empty');
  return taken;
}

const DAMAGES: readonly ((bytes: Uint8Array, random: () => number) => Uint8Array)[] = [
  (bytes, random) => bytes.slice(0, random() * bytes.byteLength),
  (bytes, random) => {
    const at = Math.floor(random() * bytes.byteLength);
    return bytes.with(at, Math.floor(random() * 256));
  },
  // A character that such a body has is the damage that is hardest to see.
  (bytes, random) => {
    const from = Math.floor(random() * bytes.byteLength);
    return bytes.with(Math.floor(random() * bytes.byteLength), bytes[from] ?? 0);
  },
  (bytes, random) => {
    const at = Math.floor(random() * bytes.byteLength);
    const length = Math.ceil(random() ** 4 * 1000);
    return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + length)]);
  },
  (bytes, random) => {
    const [at, from] = [random(), random()].map((share) => Math.floor(share * bytes.byteLength)) as [number, number];
    const added = bytes.subarray(from, from + Math.ceil(random() ** 4 * 1000));
    return Uint8Array.from([...bytes.subarray(0, at), ...added, ...bytes.subarray(at)]);
  },
];

test.each(['float', 'base64'] as const)(
  'says of 500 damaged bodies of %s what a reader of all says',
  async (format) => {
    const random = createRandom(73);
    const bodies = [toBody(format, 60), toBody(format, 60, 1)].map((body) => encoder.encode(body));
    const told = { unread: 0, read: 0, refused: 0 };
    for (let i = 0; i < 500; i += 1) {
      const damage = takeTurns(DAMAGES, i);
      const body = damage(takeTurns(bodies, i), random);
      const { isUnread, ...unread } = await tell(cutAt(body, 1 + random() * body.byteLength), format, true);
      const { isUnread: _, ...read } = await tell([body], format, false);
      expect({ i, ...unread }).toEqual({ i, ...read });
      told[isUnread ? 'unread' : 'error' in read ? 'refused' : 'read'] += 1;
    }
    expect(
      Object.values(told).every((count) => count > 10),
      JSON.stringify(told),
    ).toBe(true);
  },
);

const item = (fields: string): string => `{"data":[${fields}],"usage":{"prompt_tokens":7,"total_tokens":7}}`;
const three = (embedding: string): string =>
  [0, 1, 2].map((index) => `{"object":"embedding","index":${index},"embedding":${embedding}}`).join(',');

test.each<[string, Format, string, number]>([
  ['a number with two points', 'float', item(three('[1.2.3]')), 502],
  ['a number with a zero before it', 'float', item(three('[01]')), 502],
  ['a number that no number holds', 'float', item(three('[1e400]')), 502],
  ['NaN', 'float', item(three('[NaN]')), 502],
  ['null', 'float', item(three('[null]')), 502],
  ['numbers without a comma', 'float', item(three('[1 2]')), 502],
  ['a list without an end', 'float', item(three('[1')), 502],
  ['a brace in place of a bracket', 'float', item(three('[1}')), 502],
  ['a point without digits', 'float', item(three('[1.]')), 502],
  ['an exponent without digits', 'float', item(three('[1e]')), 502],
  ['a minus without digits', 'float', item(three('[-]')), 502],
  ['a text without its end', 'base64', item(three('"AAAAAA==')), 502],
  ['a comma at the end', 'float', item(three('[1,]')), 502],
  ['other characters than base64', 'base64', item(three('"AAAA*AAAAA=="')), 502],
  [
    'a vector too few',
    'float',
    item(
      three('[1]')
        .split(',{')
        .slice(1)
        .map((one) => `{${one}`)
        .join(','),
    ),
    502,
  ],
  ['a vector too many', 'float', item(`${three('[1]')},{"object":"embedding","index":3,"embedding":[1]}`), 502],
  ['text behind the body', 'float', `${item(three('[1]'))}x`, 502],
  ['no end of the body', 'float', item(three('[1]')).slice(0, -1), 502],
  ['another list of vectors behind', 'float', `${item(three('[1]')).slice(0, -1)},"data":[]}`, 502],
  [
    'another list of vectors behind, its name escaped',
    'float',
    `${item(three('[1]')).slice(0, -1)},"d\\u0061ta":[]}`,
    502,
  ],
  ['its vectors in an inner object', 'float', `{"inner":${item(three('[1]'))},"data":[]}`, 502],
  ['another order of fields', 'float', item(three('[1]').replaceAll('"object":"embedding",', '')), 200],
  ['further fields', 'float', item(three('[1],"text":"a"')), 200],
  ['exponents', 'float', item(three('[1e5,-2.5E-7,0e+1,-0]')), 200],
  ['an empty line between all', 'float', item(three('[ 1 ,\r\n\t2 ]').replaceAll(':', ' : ')), 200],
])('responds to %s (%s) as a reader of all does', async (_, format, body, status) => {
  const [unread, read] = await Promise.all([embed([body], { format }), embed([body], { format, isWrapped: true })]);
  expect([unread.status, read.status]).toEqual([status, status]);
  if (status === 200)
    expect(JSON.stringify(withoutId(unread.text))).toBe(JSON.stringify(withoutId(read.text)).replaceAll('-0,', '0,'));
});

test('a body that breaks off is refused, however much of it had come', async () => {
  const body = toBody('float', 60);
  for (const share of [0.1, 0.5, 0.99]) {
    expect(await embed([body.slice(0, body.length * share)])).toMatchObject({ status: 502 });
  }
});

test('a function around the embeddings of a provider is asked', async () => {
  expect(await embed([item(three('[1]'))], { isWrapped: true })).toMatchObject({ status: 200 });
});
