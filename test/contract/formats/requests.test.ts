import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { mapChatTexts } from '../../../packages/core/src/chat/chat-kind.ts';
import type { Format } from '../../../packages/core/src/chat/format.ts';
import { chatCompletionsFormat } from '../../../packages/core/src/formats/chat-completions/chat-completions-format.ts';
import { completionsFormat } from '../../../packages/core/src/formats/completions/completions-format.ts';
import { geminiFormat } from '../../../packages/core/src/formats/gemini/gemini-format.ts';
import { messagesFormat } from '../../../packages/core/src/formats/messages/messages-format.ts';
import { ollamaChatFormat } from '../../../packages/core/src/formats/ollama/ollama-format.ts';
import { responsesFormat } from '../../../packages/core/src/formats/responses/responses-format.ts';
import { nativeOf } from '../../../packages/core/src/wire/native-request.ts';
import { chatArbitrary, type MadeChat, SECRET } from '../../support/formats/chats.ts';
import { inWordsOfOllama, writeMessages, writeOllama, writeResponses } from '../../support/formats/write-chats.ts';
import { inWordsOfGemini, writeGemini } from '../../support/formats/write-gemini.ts';

interface Message {
  readonly content?: unknown;
  readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[];
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

/** The same for all ways to write one message: a text is a list of one part, details have no number. */
function toMeaning({ content, reasoning_details: details, tool_calls: calls, ...rest }: Message): object {
  return {
    ...rest,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []),
    details: (details ?? []).map(({ index: _index, ...detail }) => detail),
    calls: (calls ?? []).map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.parse(call.function.arguments) as unknown },
    })),
  };
}

const meaningOf = (request: object): object => {
  const { messages, ...fields } = JSON.parse(JSON.stringify(request)) as { messages: readonly Message[] };
  return { ...fields, messages: messages.map(toMeaning) };
};

const read = (format: Format, body: object): object =>
  meaningOf(format.parse(JSON.parse(JSON.stringify({ model: 'test/model', ...body })), {}).request);

const holds = (check: (chat: MadeChat) => void): void => fc.assert(fc.property(chatArbitrary, check), { numRuns: 200 });

describe('Any chat, written in any format, is read as the same chat', () => {
  test.each([
    ['/chat/completions', chatCompletionsFormat, (chat: MadeChat): object => chat],
    ['/messages', messagesFormat, writeMessages],
    ['/responses', responsesFormat, writeResponses],
  ] as const)('%s', (_name, format, write) =>
    holds((chat) => {
      expect(read(format, write(chat))).toEqual(meaningOf({ model: 'test/model', ...chat }));
    }),
  );

  test('/api/chat of Ollama, as far as it can say it', () =>
    holds((chat) => {
      // It streams unless the request says otherwise.
      const meant = { model: 'test/model', stream: true, ...inWordsOfOllama(chat) };
      expect(read(ollamaChatFormat, writeOllama(chat))).toEqual(meaningOf(meant));
    }));

  test('Gemini’s, as far as it can say it', () =>
    holds((chat) => {
      const meant = { model: 'test/model', ...inWordsOfGemini(chat) };
      expect(read(geminiFormat, { stream: false, ...writeGemini(chat) })).toEqual(meaningOf(meant));
    }));

  test('/completions, of which the prompt is all that is said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (prompt, stream) => {
        const fields = { max_tokens: 5, temperature: 0.5, stop: ['END'], stream, session_id: 's' };
        const chat = { model: 'test/model', messages: [{ role: 'user', content: prompt }], ...fields };
        expect(read(completionsFormat, { prompt, ...fields })).toEqual(meaningOf(chat));
      }),
    );
  });

  test('what a guardrail redacts is in neither form of the request', () =>
    holds((chat) => {
      for (const [format, body] of [
        [messagesFormat, writeMessages(chat)],
        [responsesFormat, writeResponses(chat)],
        [geminiFormat, { stream: false, ...writeGemini(chat) }],
      ] as const) {
        const { request } = format.parse({ model: 'test/model', ...body }, {});
        expect(nativeOf(request)).toBeDefined();
        const redacted = mapChatTexts(request, ({ text }) => text.replaceAll(SECRET, '***'));
        const native = nativeOf(redacted);
        expect(JSON.stringify([redacted, native?.body ?? null])).not.toContain(SECRET);
        if (native !== undefined) expect(native.read(native.body)).toEqual(redacted);
      }
    }));
});
