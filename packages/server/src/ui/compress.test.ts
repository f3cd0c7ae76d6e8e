import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { compressResponse } from './compress.ts';

const LONG = JSON.stringify({ data: Array.from({ length: 200 }, (_, id) => ({ id, name: `model ${id}` })) });
const respond = (
  body: string | Uint8Array | AsyncIterable<Uint8Array> | null,
  headers: Record<string, string> = {},
) => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const;

test.each([
  ['gzip, deflate, br', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0.5', 'gzip'],
  ['GZIP', 'gzip'],
] as const)('compresses for a client that accepts %o by %s', async (accepted, coding) => {
  for (const body of [LONG, new TextEncoder().encode(LONG)]) {
    const { headers, body: sent } = await compressResponse(respond(body), accepted);
    expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' });
    expect(decode[coding](sent as Uint8Array).toString()).toBe(LONG);
    expect((sent as Uint8Array).byteLength).toBeLessThan(LONG.length / 4);
  }
});

test.each([undefined, '', 'identity', 'br;q=0, gzip;q=0.0', 'zstd', 'brotli'])(
  'sends to a client that accepts %o as it is, and tells caches why',
  async (accepted) => {
    const { headers, body } = await compressResponse(respond(LONG, { vary: 'origin' }), accepted);
    expect([headers['content-encoding'], headers['vary'], body]).toEqual([undefined, 'origin, accept-encoding', LONG]);
  },
);

test('leaves streams, short texts, errors and videos as they are', async () => {
  async function* stream() {
    yield new TextEncoder().encode(LONG);
  }
  const untouched = [
    respond(stream(), { 'content-type': 'text/event-stream' }),
    respond('{"data":[]}'),
    { ...respond(LONG), status: 404 },
    respond(new Uint8Array(5000), { 'content-type': 'video/mp4' }),
    respond(null),
  ];
  for (const response of untouched) expect(await compressResponse(response, 'br')).toBe(response);
});
