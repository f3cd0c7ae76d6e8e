import { describe, expect, test } from 'vitest';

import { readEvents } from '../../support/chat-formats/chat-format.ts';
import { createWireGateway, replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { jsonOf } from '../../support/gateways/core-gateway.ts';
import { openResponseSchema, type OpenResponse } from '../../support/open-responses/open-response-schema.ts';
import type { ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import type { ResponseCase, WireScript } from '../../support/wires/wire-script.ts';

const WEATHER = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } };
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const USER = { type: 'message', role: 'user' };

/** What the suite asks, and what upstream answers to it. */
const CASES: readonly (readonly [name: string, response: ResponseCase, body: object, types: readonly string[]])[] = [
  ['a text', 'text', { input: [{ ...USER, content: 'Hello' }] }, ['message']],
  ['a system prompt', 'text', { instructions: 'Be brief', input: [{ ...USER, content: 'Hello' }] }, ['message']],
  ['a tool call', 'tools', { input: 'Weather?', tools: [WEATHER] }, ['function_call']],
  ['an image', 'images', { input: [{ ...USER, content: [{ type: 'input_image', image_url: PICTURE }] }] }, ['message']],
  [
    'several turns',
    'text',
    {
      input: [
        { ...USER, content: 'Hello' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        { ...USER, content: 'And now?' },
      ],
    },
    ['message'],
  ],
  ['reasoning', 'reasoning', { input: 'Think', reasoning: { effort: 'low' } }, ['reasoning', 'message']],
  ['an answer that is cut off', 'length', { input: 'Long', max_output_tokens: 100 }, ['message']],
];

const WIRES = scripts.filter(([wire]) => ['openai', 'anthropic', 'openai-responses'].includes(wire));

const respond = (script: WireScript, transport: ScriptedTransport, body: object) =>
  createWireGateway(script, transport).post('/api/v1/responses', { model: 'test/model', ...body });

/** All responses that the events of a stream carry, checked. */
async function readResponses(
  script: WireScript,
  transport: ScriptedTransport,
  body: object,
): Promise<{ readonly types: readonly string[]; readonly responses: readonly OpenResponse[] }> {
  const events = await readEvents(await respond(script, transport, { ...body, stream: true }));
  const carrying = events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as { readonly type: string; readonly response?: unknown })
    .filter(({ response }) => response !== undefined);
  return {
    types: carrying.map(({ type }) => type),
    responses: carrying.map(({ response }) => openResponseSchema.parse(response)),
  };
}

describe.each(WIRES)('over the wire %s', (_, script) => {
  test.each(CASES)('%s: the whole response has every field', async (_name, kind, body, types) => {
    const response = openResponseSchema.parse(jsonOf(await respond(script, replayWhole(script.responses[kind]), body)));
    expect(response.output.map(({ type }) => type)).toEqual(expect.arrayContaining([...types]));
    expect(response).toMatchObject({ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 });
    expect(response.status).toBe(kind === 'length' ? 'incomplete' : 'completed');
    expect(response.usage).not.toBeNull();
  });

  test.each(CASES)('%s: every response of the stream has them, in any chunking', async (_name, kind, body) => {
    for (const [chunking, transport] of replayStreams(script, script.responses[kind].events ?? [])) {
      const { types, responses } = await readResponses(script, transport, body);
      const end = kind === 'length' ? 'incomplete' : 'completed';
      expect({ chunking, types }).toEqual({
        chunking,
        types: ['response.created', 'response.in_progress', `response.${end}`],
      });
      expect(responses.map(({ status }) => status)).toEqual(['in_progress', 'in_progress', end]);
    }
  });

  test('the request’s own values come back', async () => {
    const asked = {
      temperature: 0.5,
      top_p: 0.25,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      top_logprobs: 3,
      max_tool_calls: 7,
      safety_identifier: 'user-1',
      prompt_cache_key: 'key-1',
      metadata: { a: 'b' },
      tools: [{ ...WEATHER, strict: true }],
    };
    const { tools, ...values } = asked;
    const response = jsonOf(await respond(script, replayWhole(script.responses.text), { input: 'Hi', ...asked }));
    expect(openResponseSchema.parse(response)).toMatchObject({ ...values, tools });
  });

  test('a stream that breaks off ends with a failed response that has every field', async () => {
    const events = [...(script.responses.text.events ?? []).slice(0, -2), script.errorEvent];
    for (const [, transport] of replayStreams(script, events, '')) {
      const { types, responses } = await readResponses(script, transport, { input: 'Hi' });
      expect(types.at(-1)).toBe('response.failed');
      expect(responses.at(-1)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    }
  });

  test('a wrong request is refused with a reason', async () => {
    const response = await respond(script, replayWhole(script.responses.text), { input: 7 });
    expect(response.status).toBe(400);
    expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining('input') } });
  });
});
