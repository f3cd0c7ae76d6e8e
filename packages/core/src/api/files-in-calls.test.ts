import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const PNG = '\x89PNG\r\n\x1a\n';
const FLAC = 'fLaC\x00\x00\x00\x22 the audio';
const TYPE = { 'content-type': 'application/json' };
const MODELS = [
  {
    id: 'acme/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [{ provider: 'acme', providerModel: 'ears-1' }],
  },
  {
    id: 'acme/paint',
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
    endpoints: [{ provider: 'acme', providerModel: 'paint-1' }],
  },
];

function createGateway(answer: object) {
  const upstream = createReplayTransport({ headers: TYPE, pieces: [JSON.stringify(answer)] });
  const gateway = createFileGateway({}, upstream, { models: MODELS });
  const idOf = async (content: string): Promise<string> =>
    (jsonOf(await gateway.upload(content, { fields: { purpose: 'user_data' } })) as { id: string }).id;
  const sent = async (): Promise<string> => {
    const body = upstream.exchanges.at(-1)?.request.body;
    if (typeof body !== 'function') return Buffer.from(body ?? '').toString('latin1');
    const pieces: Uint8Array[] = [];
    for await (const piece of body()) pieces.push(piece);
    return Buffer.concat(pieces).toString('latin1');
  };
  return { ...gateway, upstream, idOf, sent };
}

const EARS = { text: 'Hello.' };
const hear = '/api/v1/audio/transcriptions';

test('a transcription names its audio by the id of a file, in JSON or in a form', async () => {
  const { post, idOf, sent, gateway } = createGateway(EARS);
  const id = await idOf(FLAC);
  const asked = await post(hear, { model: 'acme/ears', input_audio: { file_id: id } });
  expect([asked.status, jsonOf(asked)]).toEqual([200, expect.objectContaining({ text: 'Hello.' }) as object]);
  expect(await sent()).toMatch(/filename="audio\.flac"\r\ncontent-type: audio\/flac\r\n\r\nfLaC[^]* the audio\r\n/);

  const form = new FormData();
  form.append('model', 'acme/ears');
  form.append('file_id', id);
  const request = new Request('https://gateway.example', { method: 'POST', body: form });
  const byForm = await gateway.handle({
    method: 'POST',
    path: hear,
    query: '',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': request.headers.get('content-type') ?? '' },
    baseUrl: 'https://gateway.example',
    signal: new AbortController().signal,
    ...bodyOf(new Uint8Array(await request.arrayBuffer())),
  });
  expect([byForm.status, jsonOf(byForm)]).toEqual([200, expect.objectContaining({ text: 'Hello.' }) as object]);
  expect(await sent()).toContain('fLaC');
});

const IMAGES = { created: 1, data: [{ b64_json: Buffer.from(`${PNG}made`, 'latin1').toString('base64') }] };

test('a request for images names its pictures by the ids of files', async () => {
  const { post, idOf, sent } = createGateway(IMAGES);
  const id = await idOf(`${PNG}the reference`);
  const picture = { type: 'file', file: { file_id: id } };
  const made = await post('/api/v1/images', {
    model: 'acme/paint',
    prompt: 'a fox',
    input_references: [picture],
    mask: picture,
  });
  expect(made.status).toBe(200);
  // In the form that goes upstream, as bytes.
  expect((await sent()).split(`${PNG}the reference`)).toHaveLength(3);
});

async function edit(gateway: ReturnType<typeof createGateway>, fields: readonly (readonly [string, string | File])[]) {
  const form = new FormData();
  for (const [name, value] of [['model', 'acme/paint'], ['prompt', 'a hat'], ...fields] as const) {
    form.append(name, value);
  }
  const whole = new Response(form);
  const type = whole.headers.get('content-type') ?? '';
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': type };
  return gateway.post('/api/v1/images/edits', {}, { headers, ...bodyOf(Buffer.from(await whole.arrayBuffer())) });
}

test('the form of edits names its pictures by the ids of files, beside files of its own', async () => {
  const gateway = createGateway(IMAGES);
  const id = await gateway.idOf(`${PNG}the stored one`);
  const own = new File([Buffer.from(`${PNG}the sent one`, 'latin1')], 'fox.png', { type: 'image/png' });
  const mixed = await edit(gateway, [
    ['image[]', own],
    ['image[]', id],
    ['file_id', id],
    ['mask', id],
  ]);
  expect(mixed.status).toBe(200);
  const sent = await gateway.sent();
  expect(sent.match(/name="[^"]*"; filename/g)).toEqual([
    ...Array.from({ length: 3 }, () => 'name="image[]"; filename'),
    'name="mask"; filename',
  ]);
  expect([sent.split(`${PNG}the sent one`).length, sent.split(`${PNG}the stored one`).length]).toEqual([2, 4]);
  expect((await edit(gateway, [['image', id]])).status).toBe(200);
});

test('an id in a form of edits that names no picture is refused at its field', async () => {
  const gateway = createGateway(IMAGES);
  const text = await gateway.idOf('just text');
  const picture = await gateway.idOf(`${PNG}a picture`);
  for (const [fields, field] of [
    [[['image', text]], 'image'],
    [[['file_id', 'or_file_x']], 'file_id'],
    [[['image', '']], 'image'],
    [
      [
        ['image', picture],
        ['mask', text],
      ],
      'mask',
    ],
    [Array.from({ length: 17 }, () => ['image[]', picture] as const), 'image'],
  ] as const) {
    const refused = await edit(gateway, fields);
    expect([refused.status, jsonOf(refused)['error']]).toMatchObject([
      400,
      { metadata: { issues: [{ path: field }] } },
    ]);
  }
  expect(gateway.upstream.exchanges).toEqual([]);
});

test('a file that is not there, of another workspace or of another kind is refused at its place', async () => {
  const { post, idOf, upload, upstream } = createGateway(EARS);
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const made = await post('/api/v1/workspaces', { name: 'Other', slug: 'other' }, { headers });
  const { data } = jsonOf(made) as { data: { id: string } };
  const query = `?workspace_id=${data.id}`;
  const theirs = (jsonOf(await upload(FLAC, { key: MANAGEMENT_KEY, query })) as { id: string }).id;
  const text = await idOf('just text');
  for (const [path, body, field] of [
    [hear, { model: 'acme/ears', input_audio: { file_id: 'or_file_x' } }, 'input_audio.file_id'],
    [hear, { model: 'acme/ears', input_audio: { file_id: theirs } }, 'input_audio.file_id'],
    [hear, { model: 'acme/ears', input_audio: { file_id: text } }, 'input_audio.file_id'],
    [hear, { model: 'acme/ears', input_audio: { file_id: 7 } }, 'input_audio.file_id'],
    [hear, { model: 'acme/ears', input_audio: { file_id: text, data: 'YQ==' } }, 'input_audio.file_id'],
    ...[theirs, text, 'or_file_x'].map(
      (id) =>
        [
          '/api/v1/images',
          { model: 'acme/paint', prompt: 'a', input_references: [{ type: 'file', file: { file_id: id } }] },
          'input_references.0.file.file_id',
        ] as const,
    ),
  ] as const) {
    const refused = await post(path, body);
    expect([refused.status, JSON.stringify(jsonOf(refused))]).toEqual([400, expect.stringContaining(field) as string]);
  }
  expect(upstream.exchanges).toEqual([]);
});

test('where no files are stored, a request that names one is refused', async () => {
  const { post } = createFileGateway({}, createScriptedTransport(), { models: MODELS, files: undefined });
  const refused = await post(hear, { model: 'acme/ears', input_audio: { file_id: 'or_file_x' } });
  expect([refused.status, JSON.stringify(jsonOf(refused))]).toEqual([
    400,
    expect.stringContaining('stores no files') as string,
  ]);
});
