import type { GatewayResponse } from '@model-gateway/core';

import { jsonOf, readFrames } from '../gateways/core-gateway.ts';

/** A chat request as the tests write it. */
export type ChatBody = Readonly<Record<string, unknown>> & { readonly messages: readonly ChatMessage[] };

export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** What a caller gets, in terms that all formats have in common. */
export interface FormatCompletion {
  readonly content: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
  readonly finish: string;
  readonly usage: {
    readonly prompt: number;
    readonly cached: number;
    readonly completion: number;
    readonly cost: unknown;
  };
}

/** A format of the chat API, as a strict client of it. */
export interface ChatFormat {
  readonly name: string;
  readonly path: string;
  /** The address of a chat, where it says something of it; default: the path. */
  pathOf?(chat: Readonly<Record<string, unknown>>): string;
  /** The same chat in this format. */
  toBody(chat: ChatBody): object;
  /** Reads a completion, whole or streamed. Throws for anything that a strict client refuses. */
  read(response: GatewayResponse): Promise<FormatCompletion>;
  /** The error of a response, or of a stream that has broken off; its text so far. */
  readError(
    response: GatewayResponse,
  ): Promise<{ readonly type: string; readonly message: string; readonly text: string }>;
}

/** Where a chat is sent in a format. */
export const addressOf = (
  format: Pick<ChatFormat, 'path' | 'pathOf'>,
  chat: Readonly<Record<string, unknown>>,
): string => format.pathOf?.(chat) ?? format.path;

export interface FormatEvent {
  readonly name: string | undefined;
  readonly data: string;
}

export const isStream = ({ headers }: GatewayResponse): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

/** The events of a stream; each must be one line of data, with its name before it where it has one. */
export async function readEvents(response: GatewayResponse): Promise<FormatEvent[]> {
  const text = await readFrames(response).rest();
  if (!text.endsWith('\n\n')) throw new Error('the stream ends in the middle of an event');
  return text
    .split('\n\n')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .map((part) => {
      const { name, data } = /^(?:event: (?<name>.+)\n)?data: (?<data>.+)$/.exec(part)?.groups ?? {};
      if (data === undefined) throw new Error(`no event: ${part.slice(0, 100)}`);
      return { name, data };
    });
}

export const wholeOf = (response: GatewayResponse): Record<string, unknown> => {
  if (response.status !== 200) throw new Error(`status ${response.status}: ${JSON.stringify(response.body)}`);
  return jsonOf(response);
};

export function expectThat(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}
