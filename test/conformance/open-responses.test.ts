import { afterEach, describe, expect, test } from 'vitest';

import { type Host, startHost } from '../support/conformance/hosts.ts';
import { createWireGateway, replayStreams, replayWhole, scripts } from '../support/gateways/ask-wire.ts';
import { API_KEY } from '../support/gateways/core-gateway.ts';
import {
  type OpenEvent,
  type OpenResponse,
  openResponseSchema,
  readOpenStream,
} from '../support/open-responses/open-response-schema.ts';
import type { ScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import type { ResponseCase } from '../support/wires/wire-script.ts';

/** The cases of the Open Responses compliance suite, rebuilt from their descriptions; docs/boards.md has the rows. */

/** Those that are translated: what an upstream of this form sends is passed on as it comes. */
const WIRES = scripts.filter(([wire]) => wire !== 'openai-responses');
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const fromUser = (content: unknown): object => ({ type: 'message', role: 'user', content });

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

describe.each(WIRES)('Open Responses over the wire %s', (_, script) => {
  type Ask = (body: object) => Promise<Response>;

  async function startOver(transport: ScriptedTransport): Promise<Ask> {
    const host = await startHost('node', createWireGateway(script, transport).gateway);
    hosts.push(host);
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
    return (body) =>
      fetch(`${host.apiUrl}/responses`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'test/model', ...body }),
      });
  }

  async function askWhole(kind: ResponseCase, body: object): Promise<{ response: OpenResponse; sent: string }> {
    const transport = replayWhole(script.responses[kind]);
    const response = await (await startOver(transport))(body);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
    return {
      response: openResponseSchema.parse(await response.json()),
      sent: String(transport.latest().request.body),
    };
  }

  /** The events in each chunking of upstream's. */
  async function askStreams(kind: ResponseCase, body: object): Promise<readonly (readonly OpenEvent[])[]> {
    const read: (readonly OpenEvent[])[] = [];
    for (const [, transport] of replayStreams(script, script.responses[kind].events ?? [])) {
      const response = await (await startOver(transport))({ ...body, stream: true });
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      read.push(readOpenStream(await response.text()));
    }
    return read;
  }

  const typesOf = ({ output }: OpenResponse): readonly string[] => output.map(({ type }) => type);

  test('1: a text', async () => {
    const { response } = await askWhole('text', { input: [fromUser('Say hello in exactly three words.')] });
    expect([response.status, typesOf(response)]).toEqual(['completed', ['message']]);
    expect(response.output[0]).toMatchObject({ role: 'assistant', content: [{ type: 'output_text' }] });
  });

  test('2: a streamed text', async () => {
    for (const events of await askStreams('text', { input: [fromUser('Count from 1 to 5.')] })) {
      expect([events[0]?.type, events.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
      const said = events.map(({ type, delta }) => (type === 'response.output_text.delta' ? String(delta) : ''));
      const done = events.filter(({ type }) => type === 'response.output_text.done').map(({ text }) => text);
      expect([said.join('')]).toEqual(done);
      expect(events.at(-1)?.response?.output).toMatchObject([{ type: 'message', content: [{ text: done[0] }] }]);
    }
  });

  test('3: a system prompt', async () => {
    const system = { type: 'message', role: 'system', content: 'You are a pirate.' };
    const { response, sent } = await askWhole('text', { input: [system, fromUser('Say hello.')] });
    expect(response.status).toBe('completed');
    expect(sent).toContain('You are a pirate.');
  });

  test('4: a call of a tool', async () => {
    const { response } = await askWhole('tools', { input: [fromUser('The weather?')], tools: [WEATHER] });
    const call = response.output.find(({ type }) => type === 'function_call');
    expect(call).toMatchObject({ name: 'get_weather', call_id: expect.any(String), status: 'completed' });
    expect(JSON.parse(String(call?.['arguments']))).toBeTypeOf('object');
    expect(response.tools).toMatchObject([{ ...WEATHER, strict: null }]);
  });

  test('5: a streamed call of a tool', async () => {
    for (const events of await askStreams('tools', { input: [fromUser('The weather?')], tools: [WEATHER] })) {
      const done = events.find(({ type }) => type === 'response.function_call_arguments.done');
      const ofItem = events.filter(({ item_id: id }) => id === done?.['item_id']);
      const pieces = ofItem.map(({ type, delta }) => (type.endsWith('arguments.delta') ? String(delta) : ''));
      expect(pieces.join('')).toBe(done?.['arguments']);
      const call = events.at(-1)?.response?.output.find(({ id }) => id === done?.['item_id']);
      expect(call).toMatchObject({ type: 'function_call', name: 'get_weather', arguments: done?.['arguments'] });
    }
  });

  test('6: an image', async () => {
    const content = [
      { type: 'input_text', text: 'What do you see?' },
      { type: 'input_image', image_url: PICTURE },
    ];
    const { response, sent } = await askWhole('text', { input: [fromUser(content)] });
    expect(response.status).toBe('completed');
    expect(sent).toContain('iVBORw0KGgo=');
  });

  test('7: several turns', async () => {
    const turns = [
      fromUser('My name is Alice.'),
      { type: 'message', role: 'assistant', content: 'Hello Alice!' },
      fromUser('What is my name?'),
    ];
    const { response, sent } = await askWhole('text', { input: turns });
    expect(response.status).toBe('completed');
    const places = ['My name is Alice.', 'Hello Alice!', 'What is my name?'].map((said) => sent.indexOf(said));
    expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
  });

  test('8: reasoning', async () => {
    const asked = { input: [fromUser('Think.')], reasoning: { effort: 'low' } };
    const { response } = await askWhole('reasoning', asked);
    expect(typesOf(response)).toEqual(['reasoning', 'message']);
    expect(response.reasoning).toMatchObject({ effort: 'low' });
    for (const events of await askStreams('reasoning', asked)) {
      expect(typesOf(events.at(-1)?.response ?? response).slice(0, 2)).toEqual(['reasoning', 'message']);
      expect(events.some(({ type }) => /reasoning_(summary_)?text\.delta$/.test(type))).toBe(true);
    }
  });

  test('9: a response that continues another by its id', async () => {
    const transport = replayWhole(script.responses.text);
    const ask = await startOver(transport);
    const read = async (body: object): Promise<OpenResponse> =>
      openResponseSchema.parse(await (await ask(body)).json());
    const first = await read({ input: [fromUser('My name is Alice.')], instructions: 'Be brief.' });
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    const second = await read({ input: [fromUser('What is my name?')], previous_response_id: first.id });
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id, instructions: null });
    const sent = String(transport.latest().request.body);
    const { content } = first.output[0] as unknown as { readonly content: readonly { readonly text: string }[] };
    for (const said of ['My name is Alice.', JSON.stringify(content[0]?.text).slice(1, -1), 'What is my name?']) {
      expect(sent).toContain(said);
    }
    expect(sent).not.toContain('Be brief.');
  });

  test('10: errors', async () => {
    const ask = await startOver(replayWhole(script.responses.text));
    const wrong: readonly (readonly [object, number])[] = [
      [{}, 400],
      [{ input: [{ type: 'message', role: 'nobody', content: 'Hi' }] }, 400],
      [{ input: 'Hi', temperature: 'hot' }, 400],
      [{ input: 'Hi', previous_response_id: 'resp_none' }, 400],
    ];
    for (const [body, status] of wrong) {
      const response = await ask(body);
      expect([body, response.status]).toEqual([body, status]);
      expect(await response.json()).toMatchObject({ error: { code: status, message: expect.any(String) } });
    }
  });
});
