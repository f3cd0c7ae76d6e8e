import type { ChatCall, ChatChunk, Provider } from '@model-gateway/core';

const TIMEOUTS = { headersMs: 5000, nonStreamMs: 5000, idleMs: 5000, totalMs: 5000 };

interface AskOptions extends Partial<Omit<ChatCall, 'request'>> {
  readonly messages?: ChatCall['request']['messages'];
  readonly request?: Partial<ChatCall['request']>;
}

/** A call of a chat, streamed unless it says otherwise. */
export function toChatCall({ messages, request, ...options }: AskOptions = {}): ChatCall {
  return {
    generationId: 'gen-0123456789ab',
    request: { messages: messages ?? [{ role: 'user', content: 'Hi' }], ...request },
    providerModel: 'model',
    stream: true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: TIMEOUTS,
    ...options,
  };
}

/** What a client has at the end of a chat. */
export interface Asked {
  readonly content: string;
  readonly reasoning: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly last: ChatChunk | undefined;
  readonly chunks: readonly ChatChunk[];
}

/** Asks a provider, and joins what it gives as a client does. */
export async function askProvider(provider: Provider, call: ChatCall): Promise<Asked> {
  const chunks: ChatChunk[] = [];
  for await (const batch of provider.chat?.(call) ?? []) chunks.push(...batch);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const toolCalls: { id: string; name: string; arguments: string }[] = [];
  for (const { index, id, function: called } of deltas.flatMap(({ tool_calls: calls = [] }) => calls)) {
    const known = (toolCalls[index] ??= { id: '', name: '', arguments: '' });
    known.id += id ?? '';
    known.name += called.name ?? '';
    known.arguments += called.arguments;
  }
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map(({ reasoning }) => reasoning ?? '').join(''),
    details: deltas.flatMap(({ reasoning_details: details = [] }) => details),
    toolCalls,
    last: chunks.findLast(({ choices }) => choices.length > 0),
    chunks,
  };
}
