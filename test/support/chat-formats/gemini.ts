import type { GatewayResponse } from '@model-gateway/core';

import { type MadeChat } from '../formats/chats.ts';
import { writeGemini } from '../formats/write-gemini.ts';
import { jsonOf, readFrames } from '../gateways/core-gateway.ts';
import { type ChatFormat, expectThat, isStream, wholeOf } from './chat-format.ts';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly name: string; readonly args?: unknown };
}

interface Item {
  readonly candidates?: readonly {
    readonly content: { readonly parts: readonly Part[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly status: string; readonly message: string };
}

/** A sign of life is a blank line. */
async function itemsOf(response: GatewayResponse): Promise<Item[]> {
  const text = await readFrames(response).rest();
  // An error is repeated without an event around it.
  expectThat(/(\n\n|\n\n\{"error":[^\n]*)$/.test(text), 'the stream ends in the middle of an event');
  return text
    .slice(0, text.lastIndexOf('\n\n'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      expectThat(line.startsWith('data: '), `no event: ${line.slice(0, 100)}`);
      return JSON.parse(line.slice('data: '.length)) as Item;
    });
}

const partsOf = (items: readonly Item[]): Part[] =>
  items.flatMap(({ candidates }) => candidates?.[0]?.content.parts ?? []);

const join = (parts: readonly Part[], isThought: boolean): string | null =>
  parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('') || null;

const FINISHES: Readonly<Record<string, string>> = { MAX_TOKENS: 'length', STOP: 'stop' };

/** `POST /v1beta/models/{model}:generateContent` and its stream, with thoughts. */
export const geminiFormat: ChatFormat = {
  name: 'gemini',
  path: '/v1beta/models',
  pathOf: ({ model, stream }) =>
    `/v1beta/models/${String(model)}:${stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  toBody(chat) {
    const { generationConfig: config, ...body } = writeGemini(chat as unknown as MadeChat) as {
      readonly generationConfig?: { readonly thinkingConfig?: object };
    };
    const thinkingConfig = { ...config?.thinkingConfig, includeThoughts: true };
    return { ...body, generationConfig: { ...config, thinkingConfig } };
  },
  async read(response) {
    const items = isStream(response) ? await itemsOf(response) : [wholeOf(response) as unknown as Item];
    const last = items.at(-1);
    const reasons = items.map(({ candidates }) => candidates?.[0]?.finishReason);
    expectThat(reasons.at(-1) !== undefined && !reasons.slice(0, -1).some(Boolean), 'the last event is not the end');
    const parts = partsOf(items);
    const calls = parts.flatMap(({ functionCall: call }) => (call ? [[call.name, call.args ?? {}] as const] : []));
    const usage = last?.usageMetadata ?? {};
    const finish = FINISHES[reasons.at(-1) ?? ''] ?? 'content_filter';
    return {
      content: join(parts, false),
      reasoning: join(parts, true),
      calls,
      // The form has no reason of its own for calls.
      finish: calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish,
      usage: {
        prompt: Number(usage['promptTokenCount']),
        cached: Number(usage['cachedContentTokenCount'] ?? 0),
        completion: Number(usage['candidatesTokenCount']) + Number(usage['thoughtsTokenCount'] ?? 0),
        cost: usage['cost'],
      },
    };
  },
  async readError(response) {
    const items = isStream(response) ? await itemsOf(response) : [jsonOf(response) as unknown as Item];
    const { error } = items.at(-1) ?? {};
    expectThat(error !== undefined, 'there is no error');
    return { type: error.status, message: error.message, text: join(partsOf(items), false) ?? '' };
  },
};
