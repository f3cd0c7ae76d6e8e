import { expect, test } from 'vitest';

import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway, type FileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createFileLibrary } from './file-library.ts';
import { findNamedFile } from './resolve-files.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const PNG = '\x89PNG\r\n\x1a\nrest';
const PNG_BASE64 = Buffer.from(PNG, 'latin1').toString('base64');
const PDF = `%PDF-1.7\n${'x'.repeat(100_000)}`;
const PDF_BASE64 = Buffer.from(PDF, 'latin1').toString('base64');

const COMPLETION = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

interface Set {
  readonly gateway: FileGateway;
  readonly upstream: ScriptedTransport;
  readonly ids: { readonly png: string; readonly pdf: string; readonly text: string; readonly wav: string };
}

async function createSet(): Promise<Set> {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [COMPLETION] });
  const gateway = createFileGateway({}, upstream);
  const put = async (content: string, filename: string): Promise<string> =>
    String((jsonOf(await gateway.upload(content, { filename })) as { id: string }).id);
  return {
    gateway,
    upstream,
    ids: {
      png: await put(PNG, 'a.png'),
      pdf: await put(PDF, 'a.pdf'),
      text: await put('secret words', 'a.txt'),
      wav: await put('RIFF\x10\0\0\0WAVEfmt ', 'a.wav'),
    },
  };
}

const partsSentTo = (upstream: ScriptedTransport): unknown =>
  (upstream.latest().sent['messages'] as { content: unknown }[])[0]?.content;

test('a chat names stored files by their ids, and upstream gets what is in them', async () => {
  const { gateway, upstream, ids } = await createSet();
  const file = (file_id: string, more: object = {}) => ({ type: 'file', file: { file_id, ...more } });
  const content = [
    { type: 'text', text: 'Look' },
    file(ids.png),
    file(ids.pdf, { filename: 'other.pdf' }),
    file(ids.text),
  ];
  const { status, headers } = await gateway.chat({ messages: [{ role: 'user', content }] });
  expect(status).toBe(200);
  const sent = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG_BASE64}` } },
    { type: 'file', file: { filename: 'other.pdf', file_data: `data:application/pdf;base64,${PDF_BASE64}` } },
    { type: 'text', text: '<file name="a.txt">\nsecret words\n</file>' },
  ];
  expect(partsSentTo(upstream)).toEqual(sent);
  // The record can be made again when the files are gone.
  const stored = await gateway.store.generations.getContent(String(headers['x-generation-id']));
  expect(JSON.stringify(stored)).toContain('secret words');
});

test('Anthropic and Responses requests name them in their own words', async () => {
  const { gateway, upstream, ids } = await createSet();
  const source = (file_id: string) => ({ type: 'file', file_id });
  const blocks = [
    { type: 'image', source: source(ids.png) },
    { type: 'document', source: source(ids.pdf), title: 'Report' },
    { type: 'document', source: source(ids.text) },
  ];
  const message = { model: 'acme/chat', max_tokens: 9, messages: [{ role: 'user', content: blocks }] };
  expect((await gateway.post('/api/v1/messages', message)).status).toBe(200);
  const image = {
    type: 'image_url',
    image_url: expect.objectContaining({ url: `data:image/png;base64,${PNG_BASE64}` }),
  };
  const pdf = {
    type: 'file',
    file: expect.objectContaining({ file_data: `data:application/pdf;base64,${PDF_BASE64}` }),
  };
  const textOf = (text: string) => expect.objectContaining({ type: 'text', text }) as unknown;
  expect(partsSentTo(upstream)).toEqual([image, expect.objectContaining(pdf), textOf('a.txt'), textOf('secret words')]);
  expect((await gateway.post('/api/v1/messages/count_tokens', message)).status).toBe(200);

  const input = [
    {
      role: 'user',
      content: [
        { type: 'input_image', file_id: ids.png, detail: 'low' },
        { type: 'input_file', file_id: ids.pdf },
        { type: 'input_file', file_id: ids.text },
      ],
    },
  ];
  expect((await gateway.post('/api/v1/responses', { model: 'acme/chat', input })).status).toBe(200);
  expect(partsSentTo(upstream)).toEqual([image, pdf, textOf('<file name="a.txt">\nsecret words\n</file>')]);
});

test('guardrails read what is in a file', async () => {
  const { gateway, upstream, ids } = await createSet();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const made = await gateway.post(
    '/api/v1/guardrails',
    { name: 'r', content_filters: [{ pattern: 'secret', action: 'redact', label: '[hidden]' }] },
    { headers },
  );
  const { data: guardrail } = jsonOf(made) as { data: { id: string } };
  const { data: key, key: secret } = jsonOf(await gateway.post('/api/v1/keys', { name: 'k' }, { headers })) as {
    data: { hash: string };
    key: string;
  };
  const path = `/api/v1/guardrails/${guardrail.id}/assignments/keys`;
  await gateway.post(path, { key_hashes: [key.hash] }, { headers });
  const content = [{ type: 'file', file: { file_id: ids.text } }];
  const call = { headers: { authorization: `Bearer ${secret}` } };
  expect((await gateway.chat({ messages: [{ role: 'user', content }] }, call)).status).toBe(200);
  expect(JSON.stringify(partsSentTo(upstream))).toContain('[hidden] words');
});

test('a store that is away is no mistake of the caller', async () => {
  const { gateway, ids } = await createSet();
  const get = () => Promise.reject(new GatewayError('provider_overloaded', 'The store is away'));
  Object.assign(gateway.store.files, { get });
  const content = [{ type: 'file', file: { file_id: ids.png } }];
  expect((await gateway.chat({ messages: [{ role: 'user', content }] })).status).toBe(503);
  const files = createFileLibrary({ storage: gateway.storage }, { ...gateway, logger: SILENT });
  await expect(findNamedFile(files, ids.wav, 'any', 'file')).rejects.toMatchObject({ code: 'provider_overloaded' });
});

test('a file that is not there, or not of that kind, is refused with its place; ids of others are left to upstream', async () => {
  const { gateway, upstream, ids } = await createSet();
  const issueOf = async (path: string, body: object): Promise<unknown> => {
    const response = await gateway.post(path, { model: 'acme/chat', max_tokens: 9, ...body });
    const { error } = jsonOf(response) as { error: { message: string } };
    return [response.status, error.message];
  };
  const chat = (file_id: string) => ({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }] });
  expect(await issueOf('/api/v1/chat/completions', chat('or_file_x'))).toEqual([
    400,
    'messages.0.content.0.file.file_id: is not the id of a file of this workspace',
  ]);
  const input = [{ role: 'user', content: [{ type: 'input_image', file_id: ids.pdf }] }];
  expect(await issueOf('/api/v1/responses', { input })).toEqual([400, 'input.0.content.0.file_id: is not an image']);
  const source = { type: 'file', file_id: ids.wav };
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
  expect(await issueOf('/api/v1/messages', { messages })).toEqual([
    400,
    expect.stringContaining('which this format has no place for'),
  ]);
  expect((await gateway.chat(chat('file-of-upstream'))).status).toBe(200);
  expect(partsSentTo(upstream)).toEqual([{ type: 'file', file: { file_id: 'file-of-upstream' } }]);
});
