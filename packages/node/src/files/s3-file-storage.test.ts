import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import type { FileStorage } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { createS3FileStorage } from './s3-file-storage.ts';

const SECRET = 'secret-access-key-of-a-test';
const MIB = 1024 * 1024;

interface Bucket {
  readonly storage: FileStorage;
  readonly objects: Map<string, Buffer>;
  /** Uploads that were begun and neither completed nor given up. */
  readonly uploads: Map<string, Buffer[]>;
  /** Method and query of each request. */
  readonly requests: string[];
}

/** A server that knows as much of S3 as the storage uses, and lists two objects a page. */
async function startBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer[]>();
  const requests: string[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const url = new URL(request.url ?? '', 'http://s3.example');
    const query = url.searchParams;
    const body = await buffer(request);
    requests.push(`${request.method} ${[...query.keys()].join(' ')}`.trim());
    const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=id/') === true;
    if (!isSigned || JSON.stringify(request.rawHeaders).includes(SECRET)) return response.writeHead(403).end();
    const key = decodeURIComponent(url.pathname.replace('/bucket/', ''));
    const upload = uploads.get(query.get('uploadId') ?? '');
    if (query.has('list-type')) {
      const keys = [...objects.keys()].filter((one) => one.startsWith(query.get('prefix') ?? ''));
      const start = Number(query.get('continuation-token') ?? 0);
      const entries = keys
        .slice(start, start + 2)
        .map((one) => `<Contents><Key>${one}</Key><LastModified>2026-03-01T00:00:00.000Z</LastModified></Contents>`);
      const next = start + 2 < keys.length ? `<NextContinuationToken>${start + 2}</NextContinuationToken>` : '';
      return response.end(`<ListBucketResult>${entries.join('')}${next}</ListBucketResult>`);
    }
    if (query.has('uploads')) {
      uploads.set('u&1', []);
      return response.end('<R><UploadId>u&amp;1</UploadId></R>');
    }
    if (upload !== undefined && request.method === 'PUT') {
      upload[Number(query.get('partNumber')) - 1] = body;
      return response.writeHead(200, { etag: `"${body.length}"` }).end();
    }
    if (upload !== undefined) {
      uploads.clear();
      if (request.method === 'POST') objects.set(key, Buffer.concat(upload));
      return response.end('<Done/>');
    }
    if (request.method === 'PUT') objects.set(key, body);
    const found = objects.get(key);
    if (request.method === 'DELETE') objects.delete(key);
    if (found === undefined) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-length': found.length })
      .end(request.method === 'GET' ? found : undefined);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const storage = await createS3FileStorage({
    bucketName: 'bucket',
    endpoint: `http://127.0.0.1:${port}/`,
    accessKeyId: 'id',
    secretAccessKey: SECRET,
  });
  return { storage, objects, uploads, requests };
}

async function* piecesOf(bytes: Buffer, size: number, end?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  if (end !== undefined) throw end;
}

async function bytesOf(storage: FileStorage, name: string): Promise<Buffer | undefined> {
  const content = await storage.find(name);
  if (content === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  expect(content.bytes).toBe(Buffer.concat(pieces).length);
  return Buffer.concat(pieces);
}

test.each([0, 5, 8 * MIB - 1, 8 * MIB, 17 * MIB + 3])(
  'a content of %d bytes is read as it was saved',
  async (length) => {
    const { storage, objects, requests } = await startBucket();
    const bytes = Buffer.alloc(length, 'abcdefg');
    const saved = await storage.save(piecesOf(bytes, 700_000));
    expect(saved.bytes).toBe(length);
    expect([...objects.keys()]).toEqual([`files/${saved.name}`]);
    expect((await bytesOf(storage, saved.name))?.equals(bytes)).toBe(true);
    expect(requests.filter((request) => request.includes('partNumber'))).toHaveLength(
      length < 8 * MIB ? 0 : Math.ceil(length / (8 * MIB)),
    );
    expect(await storage.find('other')).toBeUndefined();
  },
);

test('a content that breaks off leaves no object and no open upload', async () => {
  const { storage, objects, uploads } = await startBucket();
  for (const length of [10, 9 * MIB]) {
    const pieces = piecesOf(Buffer.alloc(length), MIB, new Error('broken off'));
    await expect(storage.save(pieces)).rejects.toThrow('broken off');
  }
  expect([objects.size, uploads.size]).toEqual([0, 0]);
});

test('what is in no use is removed once it is old, over all pages of the bucket', async () => {
  const { storage, objects } = await startBucket();
  const names: string[] = [];
  for (let at = 0; at < 5; at += 1) names.push((await storage.save(piecesOf(Buffer.from('x'), 1))).name);
  const used = new Set(names.slice(0, 2));
  await storage.sweep(async () => used, Date.parse('2026-02-01'));
  expect(objects.size).toBe(5);
  await storage.sweep(async () => used, Date.parse('2026-04-01'));
  expect([...objects.keys()].toSorted()).toEqual([...used].map((name) => `files/${name}`).toSorted());
});
