import type { Endpoint } from '../catalog/catalog.ts';
import { toCallError } from '../dispatch/ask-endpoint.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/completion-accumulator.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta } from '../wire/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import { type Beginning, failureOf, hasOutput, letGo, readMore, withoutFinish } from './committed-completion.ts';

/** What one endpoint contributes to a completion. */
export interface CompletionPart extends Beginning {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  readonly messages: readonly ChatMessage[];
  readonly completion: CompletionAccumulator;
  /** Joins its text to that of the part before; null for the first. */
  readonly joint: SeamJoint | null;
}

/** All parts of a completion, as the caller sees them: as one. */
export interface WholeSoFar {
  text: string;
  /** A part has had output, so that its caller may have seen it. */
  hasBegun: boolean;
  hasReasoning: boolean;
  /** There is nothing in it but text and reasoning. */
  isPlain: boolean;
}

export interface BrokenPart {
  readonly error: GatewayError;
  /** What upstream itself has reported about the end. */
  readonly lastWords: readonly ChatChunk[];
}

/** Reads a part to its end; returns how it broke off, or null. Throws what a part fails with that had not begun. */
export async function* readPart(
  part: CompletionPart,
  whole: WholeSoFar,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatChunk[], BrokenPart | null> {
  const { name } = part.endpoint.provider;
  const lastWords: ChatChunk[] = [];
  let isOver = false;
  try {
    for (let batch = part.first; ;) {
      part.completion.observe(batch);
      const passed = passUpToError(batch, lastWords).map((chunk) => join(chunk, part.joint, whole));
      if (passed.length > 0) yield passed;
      const step = await raceAbort(readMore(part), signal);
      if (step.done === true) break;
      batch = step.value;
    }
    isOver = true;
    if (!whole.hasBegun) {
      yield lastWords;
      return null;
    }
    const { finish } = part.completion;
    const failure = finish === undefined ? withoutFinish(name) : failureOf(part.completion, name);
    if (failure === null) return null;
    yield* readHeld(part, whole);
    return { error: failure, lastWords };
  } catch (thrown) {
    if (signal.aborted || !whole.hasBegun || isOver) throw thrown;
    yield* readHeld(part, whole);
    return { error: toCallError(thrown, name), lastWords };
  } finally {
    if (!isOver) letGo(part);
  }
}

/** Chunks from the finish reason `error` on are set aside: they are the end only where nothing follows. */
function passUpToError(batch: readonly ChatChunk[], lastWords: ChatChunk[]): readonly ChatChunk[] {
  const isError = ({ choices }: ChatChunk): boolean => choices.some((choice) => choice.finish_reason === 'error');
  const at = lastWords.length > 0 ? 0 : batch.findIndex(isError);
  const last = batch[at];
  if (last === undefined) return batch;
  const passed = batch.slice(0, at);
  const { choices } = last;
  // Output beside the error is part of the text.
  if (choices.some(hasOutput)) {
    passed.push({ choices: choices.map((choice) => ({ ...choice, finish_reason: null, native_finish_reason: null })) });
  }
  lastWords.push({ ...last, choices: choices.map((choice) => ({ ...choice, delta: {} })) }, ...batch.slice(at + 1));
  return passed;
}

/** The text that a joint still holds when its part breaks off. */
function* readHeld({ joint }: CompletionPart, whole: WholeSoFar): Generator<readonly ChatChunk[]> {
  const content = joint?.end() ?? '';
  if (content === '') return;
  whole.text += content;
  yield [{ choices: [{ index: 0, delta: { content }, finish_reason: null, native_finish_reason: null }] }];
}

function join(chunk: ChatChunk, joint: SeamJoint | null, whole: WholeSoFar): ChatChunk {
  const choices = chunk.choices.map((choice) => {
    note(choice, whole);
    const delta = choice.index === 0 && joint !== null ? joinDelta(choice, joint) : choice.delta;
    if (choice.index === 0) whole.text += delta.content ?? '';
    return delta === choice.delta ? choice : { ...choice, delta };
  });
  return joint === null ? chunk : { ...chunk, choices };
}

function joinDelta({ delta, finish_reason: reason }: ChatChunkChoice, joint: SeamJoint): ChatDelta {
  const { content, ...others } = delta;
  const isLast = reason !== null || others.tool_calls !== undefined;
  const text = (content ? joint.push(content) : '') + (isLast ? joint.end() : '');
  return text === '' ? others : { ...others, content: text };
}

/** Notes what cannot be continued by text. */
function note(choice: ChatChunkChoice, whole: WholeSoFar): void {
  const { tool_calls: calls, refusal, images, audio, reasoning, reasoning_details: details } = choice.delta;
  if (hasOutput(choice)) whole.hasBegun = true;
  if (reasoning || details !== undefined) whole.hasReasoning = true;
  if (calls !== undefined || refusal || images !== undefined || audio !== undefined || choice.index !== 0) {
    whole.isPlain = false;
  }
}

/** Joins the text of an endpoint that continues a completion to the text before it. */
interface SeamJoint {
  /** Adds a piece; returns what follows the text before. Empty while that is not decided. */
  push(piece: string): string;
  /** No further text comes; returns what was held back. */
  end(): string;
}

export interface Seam {
  /** The text that the endpoint was given to continue, without white space at its end. */
  readonly prefill: string;
  /** The white space that was sent behind it, which the endpoint does not know of. */
  readonly gap: string;
  /** The endpoint may begin with all it was given, whatever its length. */
  readonly mayRepeatAll: boolean;
}

/** A shorter text may well come twice. */
const MIN_OVERLAP = 20;
const MAX_OVERLAP = 50;

/**
 * Creates the joint. An endpoint that continues may repeat the end of the text, or all of it, and brings white space
 * that is there already: neither may come twice. Holds back no more than it has to compare.
 */
export function joinAtSeam({ prefill, gap, mayRepeatAll }: Seam): SeamJoint {
  const repeats = findRepeats(prefill, mayRepeatAll);
  let held = '';
  let isDecided = false;

  const decide = (isEnd: boolean): string => {
    const repeated = repeats.find((repeat) => held.startsWith(repeat)) ?? '';
    const mayBeLonger = repeats.some((repeat) => repeat.length > held.length && repeat.startsWith(held));
    if (mayBeLonger && !isEnd) return '';
    const rest = held.slice(repeated.length);
    const blank = commonStart(rest, gap);
    if (blank === rest.length && blank < gap.length && !isEnd) return '';
    isDecided = true;
    held = '';
    return rest.slice(blank);
  };

  return {
    push(piece) {
      if (isDecided) return piece;
      held += piece;
      return held === '' ? '' : decide(false);
    },
    end: () => (isDecided ? '' : decide(true)),
  };
}

/** The texts that are no continuation where an endpoint begins with them, the longest first. */
function findRepeats(prefill: string, mayRepeatAll: boolean): readonly string[] {
  const repeats: string[] = [];
  const isLongEnough = prefill.length >= MIN_OVERLAP && !isPeriodic(prefill);
  if (prefill !== '' && (mayRepeatAll || isLongEnough)) repeats.push(prefill);
  for (let length = Math.min(MAX_OVERLAP, prefill.length - 1); length >= MIN_OVERLAP; length -= 1) {
    const tail = prefill.slice(-length);
    if (!isPeriodic(tail)) repeats.push(tail);
  }
  return repeats;
}

/** Whether a text is the same again and again, as a line of dashes is: then more of it is no repetition. */
function isPeriodic(text: string): boolean {
  const second = text.indexOf(text.slice(0, Math.ceil(text.length / 2)), 1);
  return second !== -1 && text.startsWith(text.slice(second));
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
