import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';
import { createDiskFileStorage } from '@model-gateway/node';
import { OpenRouter } from '@openrouter/sdk';
import OpenAI, { toFile } from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';

const PDF = Buffer.from('%PDF-1.7\n%%EOF\n');
const LINES = Buffer.from('{"a":1}\n{"a":2}\n');

/** A gateway that gives uploads back, so that a test sees that they are whole. */
async function startFiles(kind: HostKind): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const files = { storage: await createDiskFileStorage({ dir }), downloadsUploads: true };
  const { gateway, close } = createTestGateway({ baseUrl: 'http://127.0.0.1:9' }, { files });
  const host = await startHost(kind, gateway);
  onTestFinished(host.close);
  onTestFinished(close);
  return host.apiUrl;
}

describe.each(HOST_KINDS)('files on %s', (kind) => {
  test('the openai client uploads, finds, pages, downloads and deletes them', async () => {
    const client = new OpenAI({ apiKey: TEST_KEY, baseURL: await startFiles(kind), maxRetries: 0 });
    const made = await client.files.create({
      file: await toFile(LINES, 'lines.jsonl'),
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 7200 },
    });
    expect(made).toMatchObject({
      object: 'file',
      bytes: LINES.length,
      filename: 'lines.jsonl',
      purpose: 'batch',
      status: 'processed',
      expires_at: made.created_at + 7200,
    });
    expect(await client.files.retrieve(made.id)).toEqual(made);
    await client.files.create({ file: await toFile(PDF, 'a.pdf'), purpose: 'user_data' });
    const names: string[] = [];
    for await (const { filename } of client.files.list({ limit: 1 })) names.push(filename);
    expect(names).toEqual(['lines.jsonl', 'a.pdf']);
    expect(await (await client.files.content(made.id)).text()).toBe(LINES.toString());
    expect(await client.files.delete(made.id)).toMatchObject({ id: made.id, deleted: true, object: 'file' });
    await expect(client.files.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  test('the client of Anthropic uploads, finds, pages, downloads and deletes them', async () => {
    const baseURL = (await startFiles(kind)).replace(/\/v1$/, '');
    const client = new Anthropic({ authToken: TEST_KEY, apiKey: null, baseURL, maxRetries: 0 });
    const { files } = client.beta;
    const made = await files.upload({ file: await Anthropic.toFile(PDF, 'a.pdf') });
    expect(made).toMatchObject({ type: 'file', mime_type: 'application/pdf', size_bytes: PDF.length });
    await files.upload({ file: await Anthropic.toFile(LINES, 'b.txt') });
    const names: string[] = [];
    for await (const { filename } of files.list({ limit: 1 })) names.push(filename);
    expect(names).toEqual(['a.pdf', 'b.txt']);
    expect(await files.retrieveMetadata(made.id)).toEqual(made);
    expect(Buffer.from(await (await files.download(made.id)).arrayBuffer())).toEqual(PDF);
    expect(await files.delete(made.id)).toMatchObject({ id: made.id, type: 'file_deleted' });
  });

  test('the official SDK uploads, finds, pages, downloads and deletes them', async () => {
    const serverURL = await startFiles(kind);
    const client = new OpenRouter({ apiKey: TEST_KEY, serverURL, retryConfig: { strategy: 'none' } });
    const file = { fileName: 'a.pdf', content: new Uint8Array(PDF) };
    const made = await client.files.upload({ requestBody: { file } });
    if (made.shape !== 'openrouter') throw new Error(`It has the shape ${made.shape}`);
    expect(made).toMatchObject({ type: 'file', filename: 'a.pdf', mimeType: 'application/pdf', downloadable: true });
    await client.files.upload({ requestBody: { file: { ...file, fileName: 'b.pdf' } } });
    const ids: string[] = [];
    for await (const { result } of await client.files.list({ limit: 1 })) {
      if (result.shape === 'openrouter') ids.push(...result.data.map(({ id }) => id));
    }
    expect([ids.length, ids[0]]).toEqual([2, made.id]);
    expect(await client.files.retrieve({ fileId: made.id })).toEqual(made);
    const bytes = await new Response(await client.files.download({ fileId: made.id })).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(PDF);
    expect(await client.files.delete({ fileId: made.id })).toMatchObject({ id: made.id, type: 'file_deleted' });
  });
});
