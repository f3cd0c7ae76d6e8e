import type { GatewayError } from '../foundation/errors.ts';
import { type DecidedText, decideTexts, type FilterFunctions } from '../guardrails/filter-functions.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta } from '../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../wire/chat-request.ts';
import type { ChatRun } from './chat-run.ts';
import type { Beginning } from './committed-completion.ts';

/**
 * Hands the texts of a completion, which has come whole, to the filters of the embedder. A text that is replaced goes on in
 * one piece, where its first piece was. A completion that is blocked ends with the error, and has no text.
 */
export async function filterCompletion(
  { first: received, rest }: Beginning,
  {
    call,
    pipeline,
    parts: { logger },
  }: Pick<ChatRun, 'call' | 'pipeline'> & { readonly parts: Pick<ChatRun['parts'], 'logger'> },
  filters: NonNullable<FilterFunctions['output']>,
  signal: AbortSignal,
): Promise<Beginning> {
  const texts = joinTexts(received);
  const first = withoutUnseenDetails(received, texts);
  const { id: generationId, principal } = call;
  const options = { filters, side: 'Response', pipeline, logger, signal, generationId, principal } as const;
  const { refusal, decided } = await decideTexts([...texts.values()], options);
  if (refusal !== null) return { first: withoutTexts(first), rest: endWith(refusal) };
  if (decided === null) return { first, rest };
  const places = [...texts.keys()];
  const replaced = new Map(
    places.flatMap((place, at) => (decided[at] === texts.get(place)?.text ? [] : [[place, decided[at] as string]])),
  );
  return { first: replaceTexts(first, replaced), rest };
}

/** What is left of a completion of which only its error is to come. */
export const endWith = (error: GatewayError): NonNullable<Beginning['rest']> => ({ next: () => Promise.reject(error) });

const FIELDS = ['content', 'reasoning', 'refusal'] as const;

interface Spoken {
  readonly transcript: string;
}

const isSpoken = (audio: unknown): audio is Spoken =>
  typeof audio === 'object' && audio !== null && 'transcript' in audio && typeof audio.transcript === 'string';

/** Changes each piece of text of a delta; `place` is the same for all pieces of one text. */
function mapDelta(
  index: number,
  delta: ChatDelta,
  change: (place: string, piece: string, isJson: boolean) => string,
): ChatDelta {
  const changed: ChatDelta = { ...delta };
  for (const field of FIELDS) {
    const piece = delta[field];
    if (typeof piece === 'string') changed[field] = change(`${index} ${field}`, piece, false);
  }
  const { audio, tool_calls: calls } = delta;
  if (isSpoken(audio)) {
    changed.audio = { ...audio, transcript: change(`${index} transcript`, audio.transcript, false) };
  }
  if (calls !== undefined) {
    changed.tool_calls = calls.map((call) => ({
      ...call,
      function: {
        ...call.function,
        arguments: change(`${index} call ${call.index}`, call.function.arguments, true),
      },
    }));
  }
  return changed;
}

function joinTexts(chunks: readonly ChatChunk[]): ReadonlyMap<string, DecidedText> {
  const texts = new Map<string, DecidedText>();
  for (const { choices } of chunks) {
    for (const { index, delta } of choices) {
      mapDelta(index, delta, (place, piece, isJson) => {
        texts.set(place, { text: (texts.get(place)?.text ?? '') + piece, role: 'assistant', isJson });
        return piece;
      });
    }
  }
  return texts;
}

/**
 * Details of the reasoning repeat its text, which filters see; what else they hold no filter has seen, and of that only
 * encrypted ones reveal nothing.
 */
function withoutUnseenDetails(
  chunks: readonly ChatChunk[],
  texts: ReadonlyMap<string, DecidedText>,
): readonly ChatChunk[] {
  const told = new Map<number, string>();
  for (const { choices } of chunks) {
    for (const { index, delta } of choices) {
      for (const detail of delta.reasoning_details ?? []) told.set(index, (told.get(index) ?? '') + textOf(detail));
    }
  }
  if (told.size === 0) return chunks;
  const isRepeated = (index: number): boolean =>
    withoutSpace(texts.get(`${index} reasoning`)?.text ?? '') === withoutSpace(told.get(index) ?? '');
  const repeated = new Set([...told.keys()].filter(isRepeated));
  const keep = ({ index, delta: { reasoning_details: details = [], ...delta }, ...choice }: ChatChunkChoice) => {
    const kept = details.filter(
      ({ type }) => type === 'reasoning.encrypted' || (repeated.has(index) && REPEATING.has(type)),
    );
    return { ...choice, index, delta: { ...delta, ...(kept.length > 0 && { reasoning_details: kept }) } };
  };
  return chunks.map((chunk) => ({ ...chunk, choices: chunk.choices.map(keep) }));
}

const REPEATING: ReadonlySet<string> = new Set(['reasoning.text', 'reasoning.summary']);

const textOf = ({ text, summary }: ReasoningDetail): string =>
  [text, summary].map((piece) => (typeof piece === 'string' ? piece : '')).join('');

/** In the text, the parts of a summary are paragraphs. */
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '');

function replaceTexts(chunks: readonly ChatChunk[], replaced: ReadonlyMap<string, string>): readonly ChatChunk[] {
  const written = new Set<string>();
  return chunks.map((chunk) => ({
    ...chunk,
    choices: chunk.choices.map(({ logprobs, ...choice }) => {
      const { index } = choice;
      const delta = mapDelta(index, choice.delta, (place, piece) => {
        const text = replaced.get(place);
        if (text === undefined) return piece;
        if (written.has(place)) return '';
        written.add(place);
        return text;
      });
      // They repeat the text in pieces of their own.
      if (replaced.has(`${index} reasoning`)) delete delta.reasoning_details;
      const isRepeated = logprobs !== undefined && !replaced.has(`${index} content`);
      return { ...choice, delta, ...(isRepeated && { logprobs }) };
    }),
  }));
}

/** What the completion cost, and whose it was. */
function withoutTexts(chunks: readonly ChatChunk[]): readonly ChatChunk[] {
  return chunks.map((chunk) => ({
    ...chunk,
    choices: chunk.choices.slice(0, 1).map(({ index }) => ({
      index,
      delta: {},
      finish_reason: null,
      native_finish_reason: null,
    })),
  }));
}
