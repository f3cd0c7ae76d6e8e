import { describe, expect, test } from 'vitest';

import { addressOf, type ChatBody, type ChatFormat } from '../support/chat-formats/chat-format.ts';
import { completionsFormat } from '../support/chat-formats/completions.ts';
import { geminiFormat } from '../support/chat-formats/gemini.ts';
import { messagesFormat } from '../support/chat-formats/messages.ts';
import { ollamaFormat } from '../support/chat-formats/ollama.ts';
import { responsesFormat } from '../support/chat-formats/responses.ts';
import { replayStreams, replayWhole } from '../support/gateways/ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf } from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import type { ScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import { script } from '../support/wires/anthropic.ts';

const CHAT: ChatBody = { model: 'test/asked', messages: [{ role: 'user', content: 'Hello to bob@example.com' }] };
const RULED = { routing_rule: 'to the ruled one', requested_model: 'test/asked' };

/** A gateway whose rule leads every call of this format from `test/asked` to `test/ruled`, over Anthropic's wire. */
function openRuled(format: string, transport: ScriptedTransport): CoreGateway {
  const formats = [format as 'messages'];
  const rules = [{ name: RULED.routing_rule, when: { formats, models: ['test/asked'] }, model: 'test/ruled' }];
  return createCoreGateway([script.createProvider(transport)], {
    account: { routing: { rules } },
    models: [
      { id: 'test/asked', endpoints: [{ provider: 'up', providerModel: 'claude-asked' }] },
      { id: 'test/ruled', endpoints: [{ provider: 'up', providerModel: 'claude-ruled' }] },
    ],
  });
}

describe.each(
  [messagesFormat, responsesFormat, completionsFormat, ollamaFormat, geminiFormat].map(
    (format) => [format.name, format] as const,
  ),
)('/%s', (name: string, format: ChatFormat) => {
  const send = (core: CoreGateway, chat: object = {}) =>
    core.post(addressOf(format, { ...CHAT, ...chat }), format.toBody({ ...CHAT, ...chat }));

  test('a rule for the format chooses the model, whole and streamed in any chunking, and the record names it', async () => {
    const { text } = script.responses;
    const runs = [
      ['whole', replayWhole(text), {}] as const,
      ...replayStreams(script, text.events ?? []).map(
        ([chunking, transport]) => [chunking, transport, { stream: true }] as const,
      ),
    ];
    for (const [chunking, transport, chat] of runs) {
      const core = openRuled(name, transport);
      const response = await send(core, chat);
      const { finish } = await format.read(response);
      const { data } = jsonOf(await core.get(`/api/v1/generation?id=${response.headers['x-generation-id'] ?? ''}`));
      expect({ chunking, finish, data }).toMatchObject({ chunking, data: { ...RULED, model: 'test/ruled' } });
      expect(transport.latest().sent).toMatchObject({ model: 'claude-ruled' });
    }
  });

  test('a rule for another format leaves the call as it is', async () => {
    const transport = replayWhole(script.responses.text);
    await format.read(await send(openRuled('chat', transport)));
    expect(transport.latest().sent).toMatchObject({ model: 'claude-asked' });
  });
});

/** What the chat request cannot say, and only the native form has. */
const NATIVE = { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } };
const MESSAGES = { max_tokens: 100, ...CHAT, ...NATIVE, fallbacks: [{ model: 'test/asked' }] };

test('a request to an upstream of its own form stays untranslated when a rule changes its model', async () => {
  const transport = replayWhole(script.responses.text);
  const core = openRuled('messages', transport);
  expect((await core.post(messagesFormat.path, MESSAGES)).status).toBe(200);
  expect(transport.latest().sent).toEqual({ ...CHAT, ...NATIVE, model: 'claude-ruled', max_tokens: 100 });
});

test('such a request stays untranslated when a guardrail redacts it, too', async () => {
  const transport = replayWhole(script.responses.text);
  const core = openRuled('messages', transport);
  const { headers } = await guardKey(core, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] });
  expect((await core.post(messagesFormat.path, MESSAGES, { headers })).status).toBe(200);
  const { messages, ...others } = transport.latest().sent as { messages: unknown };
  expect(JSON.stringify(messages)).not.toContain('bob@example.com');
  expect(others).toEqual({ ...NATIVE, model: 'claude-ruled', max_tokens: 100 });
});

test('tokens are counted for the model of the rule', async () => {
  const transport = replayWhole({ whole: { input_tokens: 7 } });
  const core = openRuled('messages', transport);
  const counted = await core.post(`${messagesFormat.path}/count_tokens`, {
    model: CHAT['model'],
    messages: CHAT.messages,
  });
  expect(jsonOf(counted)).toEqual({ input_tokens: 7 });
  expect(transport.latest().sent).toMatchObject({ model: 'claude-ruled' });
});
