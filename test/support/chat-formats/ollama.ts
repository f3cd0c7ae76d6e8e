import type { GatewayResponse } from '@model-gateway/core';

import { jsonOf, readFrames } from '../gateways/core-gateway.ts';
import { type ChatFormat, expectThat, wholeOf } from './chat-format.ts';

interface Line {
  readonly message: {
    readonly content: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: unknown } }[];
  };
  readonly done: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: string;
}

const isLines = ({ headers }: GatewayResponse): boolean => headers['content-type'] === 'application/x-ndjson';

async function linesOf(response: GatewayResponse): Promise<Line[]> {
  const text = await readFrames(response).rest();
  expectThat(text.endsWith('\n'), 'the stream ends in the middle of a line');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const join = (lines: readonly Line[], member: 'content' | 'thinking'): string | null =>
  lines.map(({ message }) => message?.[member] ?? '').join('') || null;

/** `POST /api/chat` of Ollama. It has no place for what was cached and for the cost. */
export const ollamaFormat: ChatFormat = {
  name: 'ollama-chat',
  path: '/api/chat',
  toBody: ({ messages, stream, ...rest }) => ({ ...rest, messages, stream: stream === true }),
  async read(response) {
    const lines = isLines(response) ? await linesOf(response) : [wholeOf(response) as unknown as Line];
    const last = lines.at(-1);
    expectThat(last?.done === true && lines.slice(0, -1).every(({ done }) => !done), 'the last line is not the end');
    return {
      content: join(lines, 'content'),
      reasoning: join(lines, 'thinking'),
      calls: lines.flatMap(({ message: { tool_calls: calls = [] } }) =>
        calls.map(({ function: called }) => [called.name, called.arguments] as const),
      ),
      finish: last.done_reason ?? '',
      usage: { prompt: last.prompt_eval_count ?? -1, cached: 0, completion: last.eval_count ?? -1, cost: undefined },
    };
  },
  async readError(response) {
    const lines = isLines(response) ? await linesOf(response) : [jsonOf(response) as unknown as Line];
    const { error } = lines.at(-1) ?? {};
    expectThat(typeof error === 'string', 'there is no error');
    // The form has no names for kinds of errors.
    return { type: '', message: error, text: join(lines.slice(0, -1), 'content') ?? '' };
  },
};
