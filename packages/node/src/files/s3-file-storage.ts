import { randomUUID } from 'node:crypto';

import type { FileStorage } from '@model-gateway/core';

export interface S3FileStorageOptions {
  readonly bucketName: string;
  /** Default: us-east-1. */
  readonly region?: string | undefined;
  /** Origin of a server other than Amazon's: `https://host`. */
  readonly endpoint?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** What the names of objects begin with; this storage uses all of these. Default: `files/`. */
  readonly prefix?: string | undefined;
}

/** Size of a part of an upload: S3 requires 5 MiB, and a part is held in memory until it is sent. */
const PART_BYTES = 8 * 1024 * 1024;
const RETRIES = 3;

/** Creates a storage in a bucket of Amazon S3, or of a server that is compatible: for several instances. */
export async function createS3FileStorage(options: S3FileStorageOptions): Promise<FileStorage> {
  const { accessKeyId, secretAccessKey, region = 'us-east-1', prefix = 'files/' } = options;
  const { AwsClient } = await import('aws4fetch');
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region, retries: RETRIES });
  const bucketUrl = toBucketUrl(options, region);
  const urlOf = (name: string): string => `${bucketUrl}/${encodeKey(prefix + name)}`;
  const ask = async (method: string, url: string, body?: Uint8Array | string): Promise<Response> => {
    const response = await client.fetch(url, {
      method,
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
    });
    if (response.ok || response.status === 404) return response;
    await response.body?.cancel();
    throw new Error(`The storage of files responded with ${response.status} to ${method}`);
  };
  const put = async (method: string, url: string, body?: Uint8Array | string): Promise<Response> => {
    const response = await ask(method, url, body);
    if (response.status === 404) throw new Error(`The storage of files responded with 404 to ${method}`);
    return response;
  };

  /** Sends a content whose first part is full. What is not completed is never an object. */
  const saveInParts = async (url: string, parts: AsyncGenerator<Uint8Array>, first: Uint8Array): Promise<number> => {
    const uploadId = valueOf(await (await put('POST', `${url}?uploads=`)).text(), 'UploadId');
    const place = `uploadId=${encodeURIComponent(uploadId)}`;
    try {
      const tags: string[] = [];
      let bytes = 0;
      for (
        let part: Uint8Array | undefined = first;
        part !== undefined;
        part = (await parts.next()).value ?? undefined
      ) {
        const sent = await put('PUT', `${url}?partNumber=${tags.length + 1}&${place}`, part);
        tags.push(sent.headers.get('etag') ?? '');
        bytes += part.length;
      }
      const list = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`).join('');
      const ended = await put('POST', `${url}?${place}`, `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`);
      // This one may fail after its status was sent.
      if ((await ended.text()).includes('<Error>'))
        throw new Error('The storage of files could not complete an upload');
      return bytes;
    } catch (error) {
      await ask('DELETE', `${url}?${place}`).catch(() => undefined);
      throw error;
    }
  };

  return {
    async save(pieces) {
      const name = randomUUID();
      const parts = toParts(pieces);
      const { value: first = new Uint8Array(0) } = await parts.next();
      if (first.length === PART_BYTES) return { name, bytes: await saveInParts(urlOf(name), parts, first) };
      await put('PUT', urlOf(name), first);
      return { name, bytes: first.length };
    },
    async find(name) {
      const url = urlOf(name);
      const head = await ask('HEAD', url);
      if (head.status === 404) return undefined;
      return {
        bytes: Number(head.headers.get('content-length')),
        async *read() {
          const { body } = await put('GET', url);
          if (body !== null) yield* body;
        },
      };
    },
    async sweep(findUsed, savedBeforeMs) {
      const old: string[] = [];
      for (let token: string | null = ''; token !== null;) {
        const query = new URLSearchParams({ 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) });
        const page = await (await put('GET', `${bucketUrl}/?${query.toString()}`)).text();
        for (const [, entry = ''] of page.matchAll(/<Contents>([^]*?)<\/Contents>/g)) {
          if (Date.parse(valueOf(entry, 'LastModified')) < savedBeforeMs) {
            old.push(valueOf(entry, 'Key').slice(prefix.length));
          }
        }
        token = page.includes('<NextContinuationToken>') ? valueOf(page, 'NextContinuationToken') : null;
      }
      if (old.length === 0) return;
      const used = await findUsed();
      for (const name of old) if (!used.has(name)) await ask('DELETE', urlOf(name));
    },
  };
}

const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

/** Servers other than Amazon's expect the bucket in the path. */
const toBucketUrl = ({ endpoint, bucketName }: S3FileStorageOptions, region: string): string =>
  endpoint === undefined
    ? `https://${encodeURIComponent(bucketName)}.s3.${region}.amazonaws.com`
    : `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucketName)}`;

/** The text of an element. The names that are read here hold no entities but this one. */
const valueOf = (xml: string, element: string): string =>
  (new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '').replaceAll('&amp;', '&');

/** All but the last are full. */
async function* toParts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let part = Buffer.allocUnsafeSlow(PART_BYTES);
  let size = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + PART_BYTES - size);
      part.set(taken, size);
      size += taken.length;
      at += taken.length;
      if (size < PART_BYTES) continue;
      yield part;
      part = Buffer.allocUnsafeSlow(PART_BYTES);
      size = 0;
    }
  }
  if (size > 0) yield part.subarray(0, size);
  return undefined;
}
