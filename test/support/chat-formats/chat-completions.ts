import { chunksOf, jsonOf, readFrames } from '../gateways/core-gateway.ts';
import { type ChatFormat, expectThat, isStream, wholeOf } from './chat-format.ts';

type Read = Awaited<ReturnType<ChatFormat['read']>>;

/** The streams of `POST /chat/completions`. */
export const chatCompletionsFormat: ChatFormat = {
  name: 'chat/completions',
  path: '/api/v1/chat/completions',
  toBody: (chat) => chat,
  async read(response) {
    const chunks = isStream(response) ? chunksOf(await readFrames(response).rest()) : [];
    expectThat(chunks.length > 0, `no stream: ${JSON.stringify(isStream(response) ? '' : wholeOf(response))}`);
    expectThat(
      chunks.every(({ error }) => error === undefined),
      'the stream has an error',
    );
    expectThat(new Set(chunks.map(({ id, model, provider }) => `${id} ${model} ${provider}`)).size === 1, 'ids change');
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const join = (field: 'content' | 'reasoning'): string | null =>
      choices.map(({ delta }) => (delta[field] as string | undefined) ?? '').join('') || null;
    const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
    return {
      content: join('content'),
      reasoning: join('reasoning'),
      calls: [],
      finish: choices.findLast(({ finish_reason: reason }) => reason !== null)?.finish_reason ?? '',
      usage: {
        prompt: usage?.['prompt_tokens'],
        cached: 0,
        completion: usage?.['completion_tokens'],
        cost: usage?.['cost'],
      } as Read['usage'],
    };
  },
  async readError(response) {
    const chunks = isStream(response) ? chunksOf(await readFrames(response).rest()) : [jsonOf(response) as never];
    const error = chunks.find((chunk) => chunk.error)?.error;
    expectThat(error !== undefined, 'there is no error');
    const text = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta.content ?? '');
    return { type: String(error.metadata['error_type']), message: error.message, text: text.join('') };
  },
};
