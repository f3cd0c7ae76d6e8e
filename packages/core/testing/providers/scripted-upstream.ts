import type { Transport, TransportRequest, ChatCall, Provider, ChatChunk, ChatDelta, Usage } from '@model-gateway/core';

import { expectThat } from '../contract-case.ts';
import type { ProviderSubject, UpstreamCompletion } from './provider-subject.ts';

/** The response that an upstream gives to every request. */
export interface ScriptedResponse {
  /** Default: 200. */
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
  /**
   * After the pieces: the end, this error, or the one that this promise resolves with, or nothing until this signal, the
   * call's, fires. Default: the end.
   */
  readonly after?: 'end' | Error | Promise<Error> | AbortSignal | undefined;
}

export interface ScriptedUpstream {
  readonly transport: Transport;
  readonly requests: readonly TransportRequest[];
  /** How many pieces the provider has taken. */
  piecesTaken(): number;
  /** Resolves when the provider has left the body before its end, or has aborted its request. */
  readonly left: Promise<void>;
}

/** Creates an upstream in memory. As every transport does, it rejects with the reason of a signal that was aborted. */
export function createScriptedUpstream({
  status = 200,
  headers,
  pieces,
  after = 'end',
}: ScriptedResponse): ScriptedUpstream {
  const requests: TransportRequest[] = [];
  let taken = 0;
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));

  const readNext = async (signal: AbortSignal): Promise<IteratorResult<Uint8Array>> => {
    signal.throwIfAborted();
    const piece = pieces[taken];
    if (piece !== undefined) {
      taken += 1;
      return { done: false, value: piece };
    }
    if (after instanceof Error) throw after;
    if (after instanceof Promise) throw await after;
    if (after !== 'end') await fireOf(after);
    // A provider that has not handed on the signal gets an end, and not a body that never ends.
    signal.throwIfAborted();
    return { done: true, value: undefined };
  };

  return {
    requests,
    piecesTaken: () => taken,
    left,
    transport: {
      async send(request) {
        requests.push(request);
        request.signal.throwIfAborted();
        request.signal.addEventListener('abort', leave, { once: true });
        const body: AsyncIterableIterator<Uint8Array> = {
          [Symbol.asyncIterator]: () => body,
          next: () => readNext(request.signal),
          async return() {
            leave();
            return { done: true, value: undefined };
          },
        };
        return { status, headers, body };
      },
    },
  };
}

/** Creates one whose every request fails before there is a response. */
export function createDeadUpstream(error: Error): Transport {
  return { send: () => Promise.reject(error) };
}

async function fireOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

const encoder = new TextEncoder();

/** A text or bytes, as bytes. */
export const toBytes = (event: string | Uint8Array): Uint8Array =>
  typeof event === 'string' ? encoder.encode(event) : event;

/** The three ways in which every stream is read. */
export function toChunkings(
  events: UpstreamCompletion['events'],
): readonly (readonly [name: string, pieces: Uint8Array[]])[] {
  const pieces = events.map(toBytes);
  const all = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
  return [
    ['an event a piece', pieces],
    ['byte by byte', Array.from(all, (byte) => Uint8Array.of(byte))],
    ['all at once', [all]],
  ];
}

/** Unlike one another, so that a limit in the place of another is noticed. */
export const TIMEOUTS = { headersMs: 11_000, nonStreamMs: 12_000, idleMs: 13_000, totalMs: 14_000 };

/** A call as the gateway makes it. */
export function toCall(
  { providerModel = 'model' }: ProviderSubject,
  { stream, signal = new AbortController().signal }: { readonly stream: boolean; readonly signal?: AbortSignal },
): ChatCall {
  return {
    generationId: 'gen-1760000000-abcdefghijklmnopqrst',
    request: { model: 'acme/model', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
    providerModel,
    stream,
    supportedParameters: null,
    signal,
    timeouts: TIMEOUTS,
  };
}

/** Begins a chat. Throws where the provider has none. */
export function openChat(provider: Provider, call: ChatCall): AsyncIterable<readonly ChatChunk[]> {
  const chat = provider.chat?.(call);
  expectThat(chat !== undefined, 'the provider has `chat`');
  return chat;
}

/** A provider in the same process takes far less. */
const PATIENCE_MS = 2000;

/** Resolves like the promise. Rejects where that takes too long; `fact` says what should have come. */
export async function expectSoon<Value>(promise: Promise<Value>, fact: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Expected that ${fact}`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a chat whose upstream falls silent, up to its first text. Rejects where that does not come. */
export function readToText(chat: AsyncIterator<readonly ChatChunk[]>): Promise<void> {
  const read = async (): Promise<void> => {
    for (;;) {
      const step = await chat.next();
      expectThat(step.done !== true, 'the chat gives a text before its end');
      if (joinText(step.value) !== '') return;
    }
  };
  return expectSoon(read(), 'the text comes while upstream is silent');
}

/** Reads a chat to its end. */
export async function readBatches(provider: Provider, call: ChatCall): Promise<readonly (readonly ChatChunk[])[]> {
  const batches: (readonly ChatChunk[])[] = [];
  for await (const batch of openChat(provider, call)) batches.push(batch);
  return batches;
}

/** What the chunks of a completion make together. */
export interface ReadCompletion {
  readonly content: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finishReason: string | null;
  readonly hasNativeFinishReason: boolean;
  readonly usage: Usage | undefined;
}

/** Puts the chunks of a completion together. Throws when its tool calls are not well formed. */
export function joinChunks(chunks: readonly ChatChunk[]): ReadCompletion {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const last = choices.findLast((choice) => choice.finish_reason !== null);
  return {
    content: joinText(chunks),
    toolCalls: joinToolCalls(choices.flatMap(({ delta }) => delta.tool_calls ?? [])),
    finishReason: last?.finish_reason ?? null,
    hasNativeFinishReason: typeof last?.native_finish_reason === 'string',
    usage: chunks.findLast(({ usage }) => usage !== undefined)?.usage,
  };
}

/** The text of a completion that may have ended early. */
export const joinText = (chunks: readonly ChatChunk[]): string =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('');

function joinToolCalls(deltas: NonNullable<ChatDelta['tool_calls']>): ReadCompletion['toolCalls'] {
  const calls: { readonly id: string; readonly name: string; text: string }[] = [];
  for (const { index, id, function: called } of deltas) {
    const present = calls[index];
    if (present === undefined) {
      expectThat(index === calls.length, `tool calls are numbered from 0 on: ${index} comes after ${calls.length - 1}`);
      expectThat(id !== undefined && called.name !== undefined, `tool call ${index} begins with its id and its name`);
      expectThat(!calls.some((other) => other.id === id), `the id of tool call ${index} is its own`);
      calls.push({ id, name: called.name, text: called.arguments });
      continue;
    }
    expectThat(id === undefined && called.name === undefined, `tool call ${index} has its id and its name once`);
    present.text += called.arguments;
  }
  return calls.map(({ name, text }) => ({ name, arguments: JSON.parse(text) as unknown }));
}
