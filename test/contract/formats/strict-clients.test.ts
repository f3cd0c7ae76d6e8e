import { describe, expect, test } from 'vitest';

import { addressOf, type ChatBody, type ChatFormat } from '../../support/chat-formats/chat-format.ts';
import { completionsFormat } from '../../support/chat-formats/completions.ts';
import { geminiFormat } from '../../support/chat-formats/gemini.ts';
import { messagesFormat } from '../../support/chat-formats/messages.ts';
import { responsesFormat } from '../../support/chat-formats/responses.ts';
import { replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf } from '../../support/gateways/core-gateway.ts';
import type { ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { COUNTS, EXPECTED, REQUESTS, type ResponseCase, type WireScript } from '../../support/wires/wire-script.ts';

/** What a format can express. */
const CASES: Readonly<Record<string, readonly ResponseCase[]>> = {
  messages: Object.keys(EXPECTED) as ResponseCase[],
  responses: Object.keys(EXPECTED) as ResponseCase[],
  gemini: Object.keys(EXPECTED) as ResponseCase[],
  completions: ['text', 'reasoning', 'refusal', 'length', 'content filter'],
};
const formats: readonly (readonly [string, ChatFormat])[] = [
  messagesFormat,
  responsesFormat,
  geminiFormat,
  completionsFormat,
].map((format) => [format.name, format] as const);
const cells = formats.flatMap(([, format]) =>
  scripts.map(([wire, script]) => [format.name, wire, format, script] as const),
);

/** An upstream of the caller's own format gets the body as it came. */
const OWN_FORMATS: Readonly<Record<string, string>> = { anthropic: 'messages', google: 'gemini' };
/** What a format has no word for is sent under another: schemas have no name, and files none in Gemini's form. */
const WORDS: Readonly<Record<string, readonly (readonly [from: string | RegExp, to: string])[]>> = {
  messages: [['"place"', '"output"']],
  gemini: [
    ['"place"', '"output"'],
    [',"strict":true', ''],
    ['"strict":true,', ''],
    ['"a.pdf"', '"file.pdf"'],
  ],
};

const HELLO = [{ role: 'user', content: 'Hello' }];
const chatOf = (request: object): ChatBody => ({ model: 'test/model', messages: HELLO, ...request });

function openGateway(script: WireScript, transport: ScriptedTransport): CoreGateway {
  const pricing = { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' };
  return createCoreGateway([script.createProvider(transport)], {
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: script.model, pricing }] }],
  });
}

describe.each(cells)('/%s over the wire %s', (name, wire, format, script) => {
  const send = (core: CoreGateway, request: object) =>
    core.post(addressOf(format, chatOf(request)), format.toBody(chatOf(request)));

  test.each(CASES[name] ?? [])(
    '%s: the same completion, usage and cost whole and streamed in any chunking',
    async (title) => {
      const upstream = script.responses[title];
      const transport = replayWhole(upstream);
      const whole = await format.read(await send(openGateway(script, transport), REQUESTS[title]));

      const {
        calls = [],
        content = null,
        reasoning,
        refusal,
        finish = '',
      } = script.expected?.[title] ?? EXPECTED[title];
      expect(whole).toMatchObject({ content: content ?? refusal ?? null, finish, ...(reasoning && { reasoning }) });
      expect(whole.calls).toEqual(calls.map(([tool, text]) => [tool, JSON.parse(text)]));
      expect(whole.usage).toEqual({
        prompt: COUNTS.prompt,
        cached: COUNTS.cached,
        completion: COUNTS.completion,
        cost: 0.0000244,
      });

      const sent = script.sent[title as keyof typeof script.sent] as object | undefined;
      if (sent !== undefined && OWN_FORMATS[wire] !== name) {
        const words = WORDS[name] ?? [];
        const said = words.reduce((text, [from, to]) => text.replace(from, to), JSON.stringify(sent));
        expect(transport.latest().sent).toMatchObject(JSON.parse(said) as object);
      }

      for (const [chunking, stream] of replayStreams(script, upstream.events ?? [])) {
        const streamed = await format.read(
          await send(openGateway(script, stream), { ...REQUESTS[title], stream: true }),
        );
        expect({ chunking, ...streamed }).toEqual({ chunking, ...whole });
      }
    },
  );

  test('a stream that breaks off in the middle ends with an error, never as a completion', async () => {
    const events = script.responses.text.events ?? [];
    const cut = events.slice(0, Math.ceil(events.length / 2));
    for (const end of [[], [script.errorEvent]]) {
      for (const [chunking, stream] of replayStreams(script, [...cut, ...end], '')) {
        const response = await send(openGateway(script, stream), { stream: true });
        const { text, message } = await format.readError(response);
        expect({ chunking, text: text.slice(0, 5) }).toEqual({ chunking, text: 'Hello' });
        expect(message).not.toBe('');
      }
    }
  });

  test('the record names the key, the counts and the text of the call', async () => {
    const core = openGateway(script, replayWhole(script.responses.text));
    const response = await send(core, {});
    await format.read(response);
    const id = response.headers['x-generation-id'] ?? '';
    const { data } = jsonOf(await core.get(`/api/v1/generation?id=${id}`));
    expect(data).toMatchObject({
      api_type: 'completions',
      model: 'test/model',
      tokens_prompt: COUNTS.prompt,
      tokens_completion: COUNTS.completion,
      finish_reason: 'stop',
    });
  });
});
