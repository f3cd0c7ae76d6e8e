import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MODEL = {
  id: 'acme/painter',
  architecture: { output_modalities: ['image'] },
  endpoints: [{ provider: 'acme', providerModel: 'painter', pricing: { generated_image: '0.02' } }],
};

const open = () => {
  const pieces = [JSON.stringify({ data: [{ b64_json: PNG }] })];
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces });
  return { upstream, core: createCoreGateway(upstream, { models: [MODEL] }) };
};

const picture = (type = 'image/png') => new File([Buffer.from(PNG, 'base64')], 'fox.png', { type });

/** Sends a form, of which `fields` may replace the usual fields; null leaves one out. */
async function edit(
  core: ReturnType<typeof open>['core'],
  fields: Readonly<Record<string, string | File | readonly File[] | null>> = {},
  authorization = `Bearer ${API_KEY}`,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: MODEL.id, prompt: 'A hat', image: picture(), ...fields })) {
    for (const one of [value].flat()) if (one !== null) form.append(name, one);
  }
  const whole = new Response(form);
  const headers = { authorization, 'content-type': whole.headers.get('content-type') ?? '' };
  return core.post('/api/v1/images/edits', {}, { headers, ...bodyOf(Buffer.from(await whole.arrayBuffer())) });
}

test('a form with pictures becomes a call like any other, whose pictures are the references', async () => {
  const { core, upstream } = open();
  const response = await edit(core, { 'image[]': [picture(), picture()], image: null, mask: picture(), n: '2' });
  expect([response.status, jsonOf(response)]).toMatchObject([
    200,
    { data: [{ b64_json: PNG }], output_format: 'png', usage: { output_tokens: 0, cost: 0.02 } },
  ]);
  const { url, body, headers } = upstream.latest().request;
  expect(url).toBe('https://acme.example/v1/images/edits');
  const sent = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
  expect([sent.getAll('image[]').length, sent.get('n')]).toEqual([2, '2']);
  const mask = sent.get('mask') as File;
  expect(Buffer.from(await mask.arrayBuffer()).toString('base64')).toBe(PNG);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ num_media_prompt: 3, num_media_completion: 1 });
});

test.each([
  [{ image: null }, 'image'],
  [{ image: picture('text/html') }, 'image'],
  [{ image: Array.from({ length: 17 }, () => picture()) }, 'image'],
  [{ film: picture() }, 'film'],
  [{ prompt: null }, 'prompt'],
  [{ n: 'two' }, 'n'],
  [{ n: '11' }, 'n'],
  [{ stream: 'yes' }, 'stream'],
  [{ response_format: 'url' }, 'response_format'],
  [{ size: 'big' }, 'size'],
])('a form with %j is refused by the field that is wrong', async (fields, field) => {
  const { core, upstream } = open();
  const response = await edit(core, fields);
  expect([response.status, jsonOf(response)['error']]).toMatchObject([
    400,
    { metadata: { issues: [{ path: field }] } },
  ]);
  expect(upstream.exchanges).toHaveLength(0);
});

test('a body that is no form is refused', async () => {
  const { core } = open();
  expect((await core.post('/api/v1/images/edits', { model: MODEL.id, prompt: 'A hat' })).status).toBe(415);
});

test('guardrails see the prompt of a form', async () => {
  const { core } = open();
  const filters = { content_filters: [{ pattern: 'code \\d+', action: 'block' }] };
  const { headers } = await guardKey(core, filters);
  expect((await edit(core, { prompt: 'code 42' }, headers['authorization'])).status).toBe(403);
});

test('words that OpenAI has for a quality are those of the gateway', async () => {
  const { core, upstream } = open();
  for (const [quality, sent] of [
    ['hd', 'high'],
    ['standard', 'medium'],
    ['auto', 'auto'],
  ]) {
    await core.post('/api/v1/images/generations', { model: MODEL.id, prompt: 'A fox', quality });
    expect(upstream.latest().sent['quality']).toBe(sent);
  }
});
