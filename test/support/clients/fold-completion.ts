import type { GatewayResponse } from '@model-gateway/core';

import { chunksOf, jsonOf, readFrames, type WireChunk } from '../gateways/core-gateway.ts';

/** A completion's content for its caller, whole or streamed. Ids are left out: they differ in each response. */
export interface FoldedCompletion {
  readonly status: number;
  readonly content: string | null;
  readonly refusal: string | null;
  readonly reasoning: string | null;
  readonly details: readonly unknown[];
  readonly calls: readonly (readonly [name: string, argumentText: string])[];
  readonly finish: string | null;
  readonly native: string | null;
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  readonly error: WireChunk['error'];
}

interface Call {
  readonly index?: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}
interface Message {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly Detail[];
  readonly tool_calls?: readonly Call[];
}
interface Detail {
  readonly type: string;
  readonly index?: number;
  readonly text?: string;
  readonly summary?: string;
  readonly [field: string]: unknown;
}

/** Reads a gateway's response to its end. Throws when its tool calls are not well formed. */
export async function foldCompletion(response: GatewayResponse): Promise<FoldedCompletion> {
  if (typeof response.body === 'string') return foldWhole(response.status, jsonOf(response));
  return foldStream(response.status, chunksOf(await readFrames(response).rest()));
}

function foldWhole(status: number, body: Readonly<Record<string, unknown>>): FoldedCompletion {
  const [choice] = (body['choices'] ?? []) as readonly (WireChunk['choices'][number] & { message: Message })[];
  return fold(status, choice ? [choice.message] : [], {
    finish: choice?.finish_reason ?? null,
    native: choice?.native_finish_reason ?? null,
    usage: body['usage'] as FoldedCompletion['usage'],
    error: body['error'] as FoldedCompletion['error'],
  });
}

function foldStream(status: number, chunks: readonly WireChunk[]): FoldedCompletion {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const last = choices.findLast(({ finish_reason: reason }) => reason !== null);
  return fold(
    status,
    choices.map(({ delta }) => delta as Message),
    {
      finish: last?.finish_reason ?? null,
      native: last?.native_finish_reason ?? null,
      usage: chunks.find(({ usage }) => usage)?.usage,
      error: chunks.find(({ error }) => error)?.error,
    },
  );
}

function fold(
  status: number,
  messages: readonly Message[],
  rest: Pick<FoldedCompletion, 'finish' | 'native' | 'usage' | 'error'>,
): FoldedCompletion {
  const join = (field: 'content' | 'refusal' | 'reasoning'): string | null =>
    messages.map((message) => message[field] ?? '').join('') || null;
  return {
    status,
    content: join('content'),
    refusal: join('refusal'),
    reasoning: join('reasoning'),
    details: foldDetails(messages.flatMap(({ reasoning_details: details }) => details ?? [])),
    calls: foldCalls(messages.flatMap(({ tool_calls: calls }) => calls ?? [])),
    ...rest,
  };
}

/** Pieces of one detail share its type and index; their texts add up. */
function foldDetails(pieces: readonly Detail[]): Detail[] {
  const details: Detail[] = [];
  for (const piece of pieces) {
    const at = details.findIndex(({ type, index }) => type === piece.type && index === piece.index);
    const known = details[at];
    if (known === undefined) details.push(piece);
    else details[at] = { ...known, ...piece, ...joined('text', known, piece), ...joined('summary', known, piece) };
  }
  return details;
}

function joined(field: 'text' | 'summary', known: Detail, piece: Detail): Partial<Detail> {
  const text = `${known[field] ?? ''}${piece[field] ?? ''}`;
  return known[field] === undefined && piece[field] === undefined ? {} : { [field]: text };
}

function foldCalls(pieces: readonly Call[]): [string, string][] {
  const calls: { readonly name: string; readonly id: string; text: string }[] = [];
  for (const [place, { index = place, id, function: called }] of pieces.entries()) {
    const known = calls[index];
    if (known !== undefined) known.text += called.arguments;
    else if (id && called.name) calls[index] = { name: called.name, id, text: called.arguments };
    else throw new Error(`tool call ${index} begins without an id or a name`);
  }
  if (new Set(calls.map(({ id }) => id)).size < calls.length) throw new Error('two tool calls share an id');
  return calls.map(({ name, text }) => [name, text]);
}
