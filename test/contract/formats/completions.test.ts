import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { mergeChunks } from '../../../packages/core/src/chat/stages/server-tools/run-tool-turns.ts';
import { chatCompletionsFormat } from '../../../packages/core/src/formats/chat-completions/chat-completions-format.ts';
import { completionsFormat } from '../../../packages/core/src/formats/completions/completions-format.ts';
import { geminiFormat } from '../../../packages/core/src/formats/gemini/gemini-format.ts';
import { messagesFormat } from '../../../packages/core/src/formats/messages/messages-format.ts';
import { ollamaChatFormat, ollamaGenerateFormat } from '../../../packages/core/src/formats/ollama/ollama-format.ts';
import {
  fromKeptItems,
  toHistoryItems,
  toShownItems,
} from '../../../packages/core/src/formats/responses/kept-response.ts';
import { parseResponses, responsesFormat } from '../../../packages/core/src/formats/responses/responses-format.ts';
import { createCompletionAccumulator } from '../../../packages/core/src/generations/completion-accumulator.ts';
import { SEALED_REASONING } from '../../../packages/core/src/wire/responses.ts';
import { completionArbitrary, type MadeCompletion } from '../../support/formats/completions.ts';
import {
  ENVELOPE,
  readChatStream,
  readGeminiStream,
  readMessageStream,
  readOllamaStream,
  readResponseStream,
  readTextStream,
  toBody,
  toStream,
} from '../../support/formats/read-by-clients.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];
const chat = chatCompletionsFormat.parse({ model: 'test/model', messages: HELLO }, {});
const messages = messagesFormat.parse({ model: 'test/model', max_tokens: 9, messages: HELLO }, {});
const ollama = ollamaChatFormat.parse({ model: 'test/model', messages: HELLO }, {});
const ollamaPrompt = ollamaGenerateFormat.parse({ model: 'test/model', prompt: 'Hello' }, {});
const geminiBody = { model: 'test/model', stream: true, contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
/** With thoughts, and without. */
const gemini = [true, false].map((includeThoughts) =>
  geminiFormat.parse({ ...geminiBody, generationConfig: { thinkingConfig: { includeThoughts } } }, {}),
);
const completions = completionsFormat.parse({ model: 'test/model', prompt: 'Hello' }, {});
const responses = [false, true].map((keeps) =>
  responsesFormat.parse(
    { model: 'test/model', input: 'Hello', ...(keeps && { include: ['reasoning.encrypted_content'] }) },
    {},
  ),
);

/** Runs a check on many completions, each stream of which comes in three chunkings. */
const holds = (
  check: (
    made: MadeCompletion,
    read: <Read>(stream: string, read: (pieces: readonly Uint8Array[]) => Promise<Read>) => Promise<Read[]>,
  ) => Promise<void>,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(completionArbitrary, (made) =>
      check(made, (stream, read) =>
        Promise.all(
          chunkings(stream.split(stream.startsWith('{') ? /(?<=\n)/ : /(?<=\n\n)/)).map(([, pieces]) => read(pieces)),
        ),
      ),
    ),
    { numRuns: 30 },
  );

const toPieces = (stream: string): Uint8Array[] => [new TextEncoder().encode(stream)];

/** An upstream that does not stream says the same in one piece. */
const inOnePiece = (made: MadeCompletion): MadeCompletion => ({
  ...made,
  chunks: [{ ...mergeChunks(made.chunks), usage: made.usage }],
});

const readArgs = (args: string): unknown => (args.trim() === '' ? {} : JSON.parse(args));
const callsOf = ({ calls }: MadeCompletion): unknown[] => calls.map(({ id, name, args }) => [id, name, readArgs(args)]);

interface OllamaLine {
  readonly message: {
    readonly content: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: unknown } }[];
  };
  readonly done_reason: string;
}

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
}

interface GeminiBody {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly GeminiPart[] };
    finishReason?: string;
  }[];
}

const partsOf = (bodies: readonly GeminiBody[]): GeminiPart[] =>
  bodies.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);

const saidIn = (parts: readonly GeminiPart[], isThought: boolean): string =>
  parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('');

const callsIn = (parts: readonly GeminiPart[]): unknown[] =>
  parts.flatMap(({ functionCall: call }) => (call ? [[call.id, call.name, call.args]] : []));

interface Block {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What a list of blocks or items says, whatever its order between the kinds. */
const joined = (list: readonly Block[], type: string, member: string): string =>
  list.map((one) => (one.type === type ? String(one[member]) : '')).join('');

describe('Any completion, read by strict clients, streamed in three chunkings and whole', () => {
  test('is the same message of /messages', () =>
    holds(async (made, read) => {
      const whole = toBody(messages, made) as { content: Block[]; stop_reason: string };
      for (const streamed of await read(toStream(messages, made), readMessageStream)) {
        expect(streamed.content).toEqual(whole.content);
        expect(streamed.stop_reason).toBe(whole.stop_reason);
        expect(streamed.usage).toMatchObject({ output_tokens: 8, output_tokens_details: { thinking_tokens: 3 } });
      }
      for (const { content, stop_reason } of [whole, toBody(messages, inOnePiece(made)) as typeof whole]) {
        expect(joined(content, 'text', 'text')).toBe(made.text);
        expect(joined(content, 'thinking', 'thinking')).toBe(made.reasoning);
        const calls = content.filter(({ type }) => type === 'tool_use');
        expect(calls.map(({ id, name, input }) => [id, name, input])).toEqual(callsOf(made));
        expect(stop_reason).toBe(
          { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' }[
            made.finish as 'stop'
          ],
        );
      }
    }));

  test('is the same response of /responses', { timeout: 60_000 }, () =>
    holds(async (made, read) => {
      for (const parsed of responses) {
        const whole = toBody(parsed, made) as { output: Block[]; status: string };
        for (const { output_text: _text, ...streamed } of await read(toStream(parsed, made), readResponseStream)) {
          expect(streamed).toMatchObject(whole);
          expect(streamed.output).toHaveLength(whole.output.length);
        }
        for (const { output, status } of [whole, toBody(parsed, inOnePiece(made)) as typeof whole]) {
          const texts = (type: string, field: string): string =>
            joined(
              output.flatMap((item) => (item.type === type ? ((item[field] ?? []) as Block[]) : [])),
              { message: 'output_text', summary: 'summary_text', content: 'reasoning_text' }[
                type === 'message' ? type : field
              ] ?? '',
              'text',
            );
          expect(texts('message', 'content')).toBe(made.text);
          const said = ['summary', 'content'].map((field) => texts('reasoning', field));
          // Without details all of it is of one kind; where there are two, they are apart.
          expect(said.join('')).toHaveLength(made.reasoning.length);
          if (said.includes('')) expect(said.join('')).toBe(made.reasoning);
          const calls = output.filter(({ type }) => type === 'function_call');
          expect(calls.map((call) => [call['call_id'], call['name'], readArgs(String(call['arguments']))])).toEqual(
            callsOf(made),
          );
          expect(status).toBe(made.finish === 'stop' || made.finish === 'tool_calls' ? 'completed' : 'incomplete');
        }
      }
    }),
  );

  test('is the same completion of /chat/completions', () =>
    holds(async (made, read) => {
      const whole = toBody(chat, inOnePiece(made)) as { choices: { message: Block; finish_reason: string }[] };
      for (const streamed of await read(toStream(chat, made), readChatStream)) {
        const { message, finish_reason } = streamed.choices[0] ?? {};
        const { message: said } = whole.choices[0] ?? {};
        expect(message?.content ?? '').toBe(said?.['content'] ?? '');
        expect(message?.content ?? '').toBe(made.text);
        expect(
          (message?.tool_calls ?? []).map(
            (call) => call.type === 'function' && [call.id, call.function.name, readArgs(call.function.arguments)],
          ),
        ).toEqual(callsOf(made));
        expect([finish_reason, streamed.usage?.completion_tokens]).toEqual([made.finish, 8]);
      }
    }));

  test('is the same chat of Ollama', () =>
    holds(async (made, read) => {
      const whole = toBody(ollama, made) as OllamaLine;
      for (const lines of await read(toStream(ollama, made), readOllamaStream)) {
        expect(lines.map(({ message }) => message.content).join('')).toBe(whole.message.content);
        expect(lines.map(({ message }) => message.thinking ?? '').join('')).toBe(whole.message.thinking ?? '');
        expect(lines.flatMap(({ message }) => message.tool_calls ?? [])).toEqual(whole.message.tool_calls ?? []);
        expect(lines.at(-1)).toMatchObject({ done: true, done_reason: whole.done_reason, eval_count: 8 });
      }
      for (const { message, done_reason } of [whole, toBody(ollama, inOnePiece(made)) as OllamaLine]) {
        expect(message.content).toBe(made.text);
        expect(message.thinking ?? '').toBe(made.reasoning);
        const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => [id, name, args]);
        expect(calls).toEqual(callsOf(made));
        expect(done_reason).toBe(made.finish === 'tool_calls' ? 'stop' : made.finish);
      }
    }));

  test('is the same response to a prompt of Ollama', () =>
    holds(async (made) => {
      const lines = toStream(ollamaPrompt, made).trimEnd().split('\n');
      const said = lines.map((line) => JSON.parse(line) as { response: string; thinking?: string });
      const whole = toBody(ollamaPrompt, made) as { response: string; thinking?: string };
      expect(said.map(({ response }) => response).join('')).toBe(made.text);
      expect(said.map(({ thinking = '' }) => thinking).join('')).toBe(made.reasoning);
      expect([whole.response, whole.thinking ?? '']).toEqual([made.text, made.reasoning]);
    }));

  test('is the same content of Gemini, with and without thoughts', () =>
    holds(async (made, read) => {
      for (const parsed of gemini) {
        const whole = toBody(parsed, made) as GeminiBody;
        const parts = partsOf([whole]);
        for (const events of await read(toStream(parsed, made), readGeminiStream)) {
          const streamed = partsOf(events as unknown as GeminiBody[]);
          for (const isThought of [true, false]) expect(saidIn(streamed, isThought)).toBe(saidIn(parts, isThought));
          expect(callsIn(streamed)).toEqual(callsIn(parts));
          expect(events.at(-1)?.usageMetadata).toMatchObject({ candidatesTokenCount: 5, thoughtsTokenCount: 3 });
        }
        for (const body of [whole, toBody(parsed, inOnePiece(made)) as GeminiBody]) {
          expect(saidIn(partsOf([body]), false)).toBe(made.text);
          expect(saidIn(partsOf([body]), true)).toBe(parsed === gemini[0] ? made.reasoning : '');
          expect(callsIn(partsOf([body]))).toEqual(callsOf(made));
          expect(body.candidates[0]?.finishReason).toBe(
            { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }[made.finish as 'stop'],
          );
        }
      }
    }));

  test('is the same text of /completions', () =>
    holds(async (made, read) => {
      const whole = toBody(completions, inOnePiece(made)) as { choices: { text: string; finish_reason: string }[] };
      for (const chunks of await read(toStream(completions, made), readTextStream)) {
        expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(made.text);
        expect(chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).at(-1)).toBe(made.finish);
        expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 8 });
      }
      expect(whole.choices[0]).toMatchObject({ text: made.text, finish_reason: made.finish });
    }));
});

interface SentBack {
  readonly role: string;
  readonly content?: string | readonly Block[] | null;
  readonly reasoning_details?: readonly Block[];
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
}

/** What an assistant's message means that a client has sent back. */
function meaningOf(message: SentBack | undefined): object {
  const { content, reasoning_details: details = [], tool_calls: calls = [] } = message ?? { role: '' };
  return {
    text: typeof content === 'string' ? content : joined(content ?? [], 'text', 'text'),
    sealed: details.filter(isSealed).map(({ index: _index, ...detail }) => detail),
    calls: calls.map(({ id, function: { name, arguments: args } }) => [id, name, readArgs(args)]),
  };
}

interface Turn {
  readonly sealed: readonly Block[];
}

const isSealed = ({ type, signature }: Block): boolean => type === 'reasoning.encrypted' || Boolean(signature);

const expectedOf = (made: MadeCompletion, sealed: readonly object[] = made.sealed): object => ({
  text: made.text,
  sealed,
  calls: callsOf(made),
});

const TOOL_RESULT = { type: 'function_call_output', call_id: 'call_0', output: 'done' };

describe('Any completion that a client sends back is the same turn', () => {
  const sendBack = (parsed: ReturnType<typeof responsesFormat.parse>): SentBack | undefined =>
    parsed.request.messages.find(({ role }) => role === 'assistant') as SentBack | undefined;

  test('on /messages', () =>
    holds(async (made) => {
      const { content } = await readMessageStream(toPieces(toStream(messages, made)));
      const history = [...HELLO, { role: 'assistant', content }];
      const turn = sendBack(messagesFormat.parse({ model: 'test/model', max_tokens: 9, messages: history }, {}));
      expect(meaningOf(turn)).toEqual(expectedOf(made));
    }));

  test('on /responses, with all of its fields or without those that agents drop', () =>
    holds(async (made) => {
      for (const parsed of responses) {
        const keeps = parsed === responses[1];
        const { output } = await readResponseStream(toPieces(toStream(parsed, made)));
        const bare = output.map((item) =>
          item.type === 'reasoning' && keeps
            ? { type: item.type, summary: [], encrypted_content: item.encrypted_content }
            : item,
        );
        for (const items of [output, bare]) {
          const input = [{ role: 'user', content: 'Hello' }, ...items, TOOL_RESULT];
          const turn = sendBack(responsesFormat.parse({ model: 'test/model', input }, {}));
          const signed = (made.sealed as readonly Block[]).filter(({ type }) => type === 'reasoning.text');
          expect(meaningOf(turn)).toEqual(expectedOf(made, keeps ? made.sealed : signed));
        }
      }
    }));
});

describe('Any completion that a client of Gemini sends back', () => {
  test('is the same turn, with or without its thoughts', () =>
    holds(async (made) => {
      for (const parsed of gemini) {
        const parts = partsOf((await readGeminiStream(toPieces(toStream(parsed, made)))) as unknown as GeminiBody[]);
        for (const kept of [parts, parts.filter(({ thought }) => thought !== true)]) {
          const contents = [...geminiBody.contents, { role: 'model', parts: kept }];
          const { messages: said } = geminiFormat.parse({ ...geminiBody, contents }, {}).request;
          const turn = meaningOf(said.find(({ role }) => role === 'assistant') as SentBack | undefined) as Turn;
          // Google's own signatures are those of parts, which may be hidden or have no call here.
          const isForeign = ({ format }: Block): boolean => format !== 'google-gemini-v1';
          expect({ ...turn, sealed: turn.sealed.filter(isForeign) }).toEqual(
            expectedOf(made, (made.sealed as readonly Block[]).filter(isForeign)),
          );
        }
      }
    }));
});

describe('Any completion that is stored as a response', () => {
  test('is given back as it was sent, and sent back with all that its providers need', () =>
    holds(async (made) => {
      for (const keeps of [false, true]) {
        const include = keeps ? { include: [SEALED_REASONING] } : {};
        const request = { model: 'test/model', input: 'Hello', ...include };
        const stored = parseResponses(request, { previousId: null, isStored: true });
        const sent = toBody(stored, made) as { readonly output: readonly Block[] };
        const { items, members } = keepWhole(stored, made);
        const read = fromKeptItems(JSON.parse(JSON.stringify(items)) as unknown[], textsOf(made));
        const { output, ...others } = sent;
        expect(toShownItems(read, keeps)).toEqual(output);
        expect(others).toMatchObject(members);
        const input = [{ role: 'user', content: 'Hello' }, ...toHistoryItems(read), TOOL_RESULT];
        const { messages: said } = responsesFormat.parse({ model: 'test/model', input }, {}).request;
        expect(meaningOf(said.find(({ role }) => role === 'assistant') as SentBack | undefined)).toEqual(
          expectedOf(made),
        );
      }
    }));

  const accumulate = ({ chunks }: MadeCompletion) => {
    const completion = createCompletionAccumulator();
    completion.observe(chunks);
    return completion;
  };
  const textsOf = (made: MadeCompletion) => {
    const { text, reasoning, toolCalls } = accumulate(made);
    return { completion: text, reasoning, tool_calls: toolCalls };
  };

  function keepWhole({ encoder }: ReturnType<typeof parseResponses>, made: MadeCompletion) {
    const { chunks, usage, finish: reason } = made;
    const kept = encoder.keep?.({
      ...ENVELOPE,
      chunks,
      usage,
      reason,
      error: null,
      isCancelled: false,
      texts: accumulate(made),
    });
    if (kept === undefined) throw new Error('Nothing is kept');
    return kept;
  }
});
