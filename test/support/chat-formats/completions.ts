import { jsonOf } from '../gateways/core-gateway.ts';
import { type ChatFormat, expectThat, isStream, readEvents, wholeOf } from './chat-format.ts';

interface Chunk {
  readonly object: string;
  readonly choices: readonly {
    readonly text: string;
    readonly reasoning?: string;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
    readonly cost?: unknown;
  };
  readonly error?: { readonly message: string; readonly metadata: { readonly error_type: string } };
}

const textOf = (chunks: readonly Chunk[]): string =>
  chunks
    .flatMap(({ choices }) => choices)
    .map(({ text }) => text)
    .join('');

async function chunksOf(response: Parameters<ChatFormat['read']>[0]): Promise<Chunk[]> {
  if (!isStream(response)) return [wholeOf(response) as unknown as Chunk];
  const events = await readEvents(response);
  expectThat(events.at(-1)?.data === '[DONE]', 'the stream does not end with [DONE]');
  return events.slice(0, -1).map(({ data }) => JSON.parse(data) as Chunk);
}

export const completionsFormat: ChatFormat = {
  name: 'completions',
  path: '/api/v1/completions',
  toBody: ({ messages, ...rest }) => ({ ...rest, prompt: messages.at(-1)?.content }),
  async read(response) {
    const chunks = await chunksOf(response);
    expectThat(
      chunks.every(({ object, error }) => object === 'text_completion' && error === undefined),
      'no completion',
    );
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const usage = chunks.find((chunk) => chunk.usage)?.usage;
    return {
      content: textOf(chunks) || null,
      reasoning: choices.map(({ reasoning = '' }) => reasoning).join('') || null,
      calls: [],
      finish: choices.findLast(({ finish_reason: reason }) => reason !== null)?.finish_reason ?? '',
      usage: {
        prompt: usage?.prompt_tokens ?? -1,
        cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
        completion: usage?.completion_tokens ?? -1,
        cost: usage?.cost,
      },
    };
  },
  async readError(response) {
    const chunks = isStream(response) ? await chunksOf(response) : [jsonOf(response) as unknown as Chunk];
    const error = chunks.find((chunk) => chunk.error)?.error;
    expectThat(error !== undefined, 'there is no error');
    return { type: error.metadata.error_type, message: error.message, text: isStream(response) ? textOf(chunks) : '' };
  },
};
