import fc from 'fast-check';

import type {
  ChatChunk,
  ChatDelta,
  FinishReason,
  ToolCallDelta,
  Usage,
} from '../../../packages/core/src/wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../../packages/core/src/wire/chat-request.ts';

/** A call of a tool in a generated completion. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** A completion that a model could have made, and what it means whatever form it is written in. */
export interface MadeCompletion {
  /** As providers yield it, in pieces. */
  readonly chunks: readonly ChatChunk[];
  readonly text: string;
  readonly reasoning: string;
  /** What a provider needs to read its reasoning back, in order; a signature with the text that it signs. */
  readonly sealed: readonly object[];
  readonly calls: readonly MadeCall[];
  readonly finish: FinishReason;
  readonly usage: Usage;
}

type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly origin: Origin; readonly texts: readonly string[] };

/** Whose reasoning it is, which decides what is needed to send it back. */
type Origin = 'unknown' | 'anthropic' | 'redacted' | 'google' | 'openai' | 'signed elsewhere' | 'bare';

/** Those with details; a model whose reasoning is bare text has no others. */
const ORIGINS: readonly Origin[] = ['unknown', 'anthropic', 'redacted', 'google', 'openai', 'signed elsewhere'];

/** Texts with what breaks encoders: line ends, quotes, halves of UTF-8 sequences when they are cut into bytes. */
const textArbitrary = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('a\nb\r\n\n', '"\\u0000"', 'data: [DONE]\n\n', '漢字 👩‍👩‍👧', '\u2028', ' ', '{"a":'),
);

const argsArbitrary = fc.oneof(
  fc.constantFrom('', '{}', '{"a": [1, {"b": "}"}]}'),
  fc
    .dictionary(
      fc.string({ maxLength: 4 }).filter((key) => key !== '__proto__'),
      fc.jsonValue({ maxDepth: 1 }),
      {
        maxKeys: 3,
      },
    )
    .map((value) => JSON.stringify(value)),
);

const segmentsArbitrary = (origins: readonly Origin[]): fc.Arbitrary<readonly Segment[]> =>
  fc.array(
    fc.oneof(
      textArbitrary.map((text) => ({ kind: 'text' as const, text })),
      fc.record({
        kind: fc.constant('reasoning' as const),
        origin: fc.constantFrom(...origins),
        texts: fc.array(textArbitrary, { minLength: 1, maxLength: 3 }),
      }),
    ),
    { maxLength: 5 },
  );

const FINISHES: readonly FinishReason[] = ['stop', 'length', 'content_filter'];

/** Any completion; its calls may come between the pieces of each other and of the text. */
export const completionArbitrary: fc.Arbitrary<MadeCompletion> = fc
  .record({
    segments: fc.oneof(
      { weight: 4, arbitrary: segmentsArbitrary(ORIGINS) },
      { weight: 1, arbitrary: segmentsArbitrary(['bare']) },
    ),
    args: fc.array(argsArbitrary, { maxLength: 3 }),
    cuts: fc.infiniteStream(fc.nat(6)),
    turns: fc.infiniteStream(fc.nat(20)),
    finish: fc.constantFrom(...FINISHES),
    cached: fc.nat(5),
  })
  .map(({ segments, args, cuts, turns, finish, cached }) => {
    const calls = args.map((text, index): MadeCall => ({ id: `call_${index}`, name: `tool_${index}`, args: text }));
    const cut = (text: string): string[] => cutText(text, () => cuts.next().value);
    const said = segments.flatMap((segment, index) => toUnits(segment, index, cut));
    const queues: Unit[][] = [said, ...calls.map((call) => toCallPieces(call, cut).map((piece) => [piece]))];
    const merged = mergeQueues(queues, () => turns.next().value).flat();
    const { deltas, order } = numberCalls(merged);
    return {
      chunks: toChunks(deltas, calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish, cached),
      text: segments.map((segment) => (segment.kind === 'text' ? segment.text : '')).join(''),
      reasoning: segments.map((segment) => (segment.kind === 'text' ? '' : textOf(segment))).join(''),
      sealed: segments.flatMap((segment, index) => (segment.kind === 'text' ? [] : sealedOf(segment, index))),
      calls: order.map((id) => calls.find((call) => call.id === id) as MadeCall),
      finish: calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish,
      usage: usageOf(cached),
    };
  });

type Reasoning = Extract<Segment, { kind: 'reasoning' }>;

const isReadable = (origin: Origin): boolean => origin !== 'redacted';

const textOf = ({ origin, texts }: Reasoning): string => (isReadable(origin) ? texts.join('') : '');

function sealedOf({ origin, texts }: Reasoning, index: number): object[] {
  const text = texts.join('');
  switch (origin) {
    case 'anthropic':
      return [{ type: 'reasoning.text', text, signature: `sig${index}+/=`, format: 'anthropic-claude-v1' }];
    case 'redacted':
      return [{ type: 'reasoning.encrypted', data: `red${index}+/=`, format: 'anthropic-claude-v1' }];
    case 'google':
      return [{ type: 'reasoning.encrypted', data: `goo${index}`, id: `call_${index}`, format: 'google-gemini-v1' }];
    case 'openai':
      return [{ type: 'reasoning.encrypted', data: `gAAA${index}`, id: `rs_${index}`, format: 'openai-responses-v1' }];
    case 'signed elsewhere':
      return [{ type: 'reasoning.text', text, signature: `other${index}`, format: 'google-gemini-v1' }];
    default:
      return [];
  }
}

/** Pieces that follow each other directly: no upstream puts others between a signature and its text. */
type Unit = readonly (ChatDelta | MadeCallPiece)[];

/** The pieces of one segment. A signature comes last, in a piece of its own. */
function toUnits(segment: Segment, index: number, cut: (text: string) => string[]): Unit[] {
  if (segment.kind === 'text') return cut(segment.text).map((content) => [{ content }]);
  const { origin, texts } = segment;
  const readable = isReadable(origin) ? texts.flatMap(cut) : [];
  if (origin === 'bare') return readable.map((reasoning) => [{ reasoning }]);
  const format = { google: 'google-gemini-v1', openai: 'openai-responses-v1', unknown: 'unknown' }[origin as string];
  const sealed = sealedOf(segment, index).map((detail): ReasoningDetail => {
    const { text: _text, ...rest } = detail as ReasoningDetail;
    return { ...rest, index: rest.type === 'reasoning.encrypted' ? index * 10 + 1 : index * 10 };
  });
  const known = (sealed[0] as { format?: string } | undefined)?.format ?? format;
  const pieces = readable.map((text): ChatDelta => {
    const member =
      origin === 'openai' ? { type: 'reasoning.summary', summary: text } : { type: 'reasoning.text', text };
    return { reasoning: text, reasoning_details: [{ ...member, format: known, index: index * 10 }] };
  });
  if (sealed.length === 0) return pieces.map((piece) => [piece]);
  return [[...pieces, ...sealed.map((detail) => ({ reasoning_details: [detail] }))]];
}

interface MadeCallPiece {
  readonly call: string;
  readonly piece: Omit<ToolCallDelta, 'index'>;
}

function toCallPieces({ id, name, args }: MadeCall, cut: (text: string) => string[]): MadeCallPiece[] {
  const first = { call: id, piece: { id, type: 'function' as const, function: { name, arguments: '' } } };
  return [first, ...cut(args).map((text) => ({ call: id, piece: { function: { arguments: text } } }))];
}

/** Pieces of one to seven characters, none of which cuts a character in two. */
function cutText(text: string, next: () => number): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  while (characters.length > 0) pieces.push(characters.splice(0, next() + 1).join(''));
  return pieces;
}

function mergeQueues<Item>(queues: Item[][], next: () => number): Item[] {
  const merged: Item[] = [];
  const open = queues.map((queue) => [...queue]).filter((queue) => queue.length > 0);
  while (open.length > 0) {
    const at = next() % open.length;
    const queue = open[at] as Item[];
    merged.push(queue.shift() as Item);
    if (queue.length === 0) open.splice(at, 1);
  }
  return merged;
}

/** Calls are numbered in the order in which they begin. */
function numberCalls(pieces: readonly (ChatDelta | MadeCallPiece)[]): { deltas: ChatDelta[]; order: string[] } {
  const order: string[] = [];
  const deltas = pieces.map((piece): ChatDelta => {
    if (!('call' in piece)) return piece;
    if (!order.includes(piece.call)) order.push(piece.call);
    return { tool_calls: [{ index: order.indexOf(piece.call), ...piece.piece }] };
  });
  return { deltas, order };
}

const usageOf = (cached: number): Usage => ({
  prompt_tokens: 12,
  completion_tokens: 8,
  total_tokens: 20,
  cost: 0.5,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: 3 },
});

function toChunks(deltas: readonly ChatDelta[], finish: FinishReason, cached: number): ChatChunk[] {
  const chunks = deltas.map((delta): ChatChunk => ({
    choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }],
  }));
  const end = { index: 0, delta: {}, finish_reason: finish, native_finish_reason: finish };
  return [...chunks, { choices: [end], usage: usageOf(cached) }];
}
