import { citation, completionDelta } from '../calls/message-places.ts';
import { estimateUsage } from '../calls/texts.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../foundation/queues.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, ToolCallDelta } from '../wire/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { CompletionGuard } from './guard-call.ts';
import { createTextGuard, type GuardedText, pushInSteps, type TextGuard } from './text-guard.ts';
import { toBlockError, toUnavailableError } from './verdict.ts';

type Batches = AsyncIterator<readonly ChatChunk[]>;

/**
 * Releases what the output filters allow of a completion's batches. Each yields one batch, even with all text held
 * back, so that a completion begins when upstream has begun it. A blocked completion yields the text before the
 * finding, then throws `permission_denied`, as does one whose filters fail. Returning from it returns from upstream's
 * iterator.
 */
export function guardCompletion(
  batches: Batches,
  completionGuard: CompletionGuard,
  { messages, platform }: GuardingOptions,
): Batches {
  const guard = createChunkGuard(completionGuard, messages);
  return {
    async next() {
      const failure = guard.failure();
      if (failure !== null) throw failure;
      const step = await batches.next();
      if (step.done === true) return step;
      const isLong = step.value.some((chunk) => lengthOf(chunk) > LONG);
      const value = isLong ? await runInSlices(guard.passLong(step.value), platform) : guard.pass(step.value);
      return { done: false, value };
    },
    async return() {
      await batches.return?.();
      return { done: true, value: undefined };
    },
  };
}

interface GuardingOptions {
  /** The request's, to estimate the usage of a blocked completion. */
  readonly messages: readonly ChatMessage[];
  readonly platform: SlicingPlatform;
}

/** Text of a chunk above this length is guarded in slices. */
const LONG = 2048;

interface ChunkGuard {
  failure(): GatewayError | null;
  /** Text of a choice that is held back is sent with its finish reason; without one the completion is broken anyway. */
  pass(chunks: readonly ChatChunk[]): readonly ChatChunk[];
  /** The same for texts of any length. */
  passLong(chunks: readonly ChatChunk[]): Steps<readonly ChatChunk[]>;
}

function createChunkGuard(completionGuard: CompletionGuard, messages: readonly ChatMessage[]): ChunkGuard {
  const texts = createGuardedTexts(completionGuard);
  const { isStrict } = completionGuard.filters;
  let hasUsage = false;

  const passChoice = (choice: ChatChunkChoice): ChatChunkChoice => {
    const delta = passDelta(texts, choice.index, choice.delta, isStrict);
    if (choice.finish_reason !== null) addHeldBack(texts, choice.index, delta);
    const { logprobs: _spellOutTheText, ...others } = choice;
    return { ...(isStrict ? others : choice), delta };
  };

  const passAll = (chunks: readonly ChatChunk[]): ChatChunk[] => {
    try {
      return chunks.map((chunk) => {
        if (chunk.usage !== undefined) hasUsage = true;
        const { upstream } = chunk;
        const citations = upstream?.citations && citation(upstream.citations, texts.passWhole);
        return {
          ...chunk,
          choices: chunk.choices.map(passChoice),
          ...(citations !== undefined && { upstream: { ...upstream, citations: citations as readonly unknown[] } }),
        };
      });
    } catch (error) {
      texts.failure = toUnavailableError('Response', error);
      return [{ choices: [{ index: 0, delta: {}, finish_reason: null, native_finish_reason: null }] }];
    }
  };

  const withUsage = (passed: readonly ChatChunk[]): readonly ChatChunk[] => {
    if (texts.failure === null || hasUsage) return passed;
    // Upstream is closed now and will not report its usage.
    return [...passed, { choices: [], usage: estimateUsage(messages, texts.seen) }];
  };

  return {
    failure: () => texts.failure,
    pass: (chunks) => withUsage(passAll(chunks)),
    *passLong(chunks) {
      const passed: ChatChunk[] = [];
      for (const chunk of chunks) {
        const left = yield* guardAhead(chunk, texts);
        passed.push(...passAll([left]));
        yield;
      }
      return withUsage(passed);
    },
  };
}

/** The texts of a completion by name, each guarded separately. After the first block they release nothing more. */
interface GuardedTexts extends TextsAhead {
  failure: GatewayError | null;
  /** All that has been guarded. */
  seen: string;
  /** Adds a piece of a text; returns what may be sent. */
  push(name: string, piece: string, isJson?: boolean): string;
  /** Ends a text; returns its rest, which is empty when it has not begun. */
  end(name: string): string;
  /** Names of the texts that have begun and not ended. */
  open(): Iterable<string>;
  /** Guards a text that does not arrive in pieces. */
  passWhole(text: string): string;
}

function createGuardedTexts({ filters, onFinding }: CompletionGuard): GuardedTexts {
  const guards = new Map<string, TextGuard>();
  /** What `pushAhead` has released. */
  const ahead = new Map<string, string>();
  const guardOf = (name: string, isJson: boolean): TextGuard => {
    let guard = guards.get(name);
    if (guard === undefined) guards.set(name, (guard = createTextGuard(filters, onFinding, isJson)));
    return guard;
  };
  const note = ({ text, blockedBy }: GuardedText): string => {
    if (blockedBy !== null) {
      onFinding(blockedBy);
      texts.failure = toBlockError(blockedBy, 'Response');
    }
    return text;
  };
  const run = (guard: TextGuard, piece: string | null): string => {
    if (texts.failure !== null) return '';
    if (piece !== null) texts.seen += piece;
    return note(piece === null ? guard.end() : guard.push(piece));
  };
  const texts: GuardedTexts = {
    failure: null,
    seen: '',
    push(name, piece, isJson = false) {
      const released = ahead.get(name) ?? '';
      ahead.delete(name);
      return released + run(guardOf(name, isJson), piece);
    },
    *pushAhead(name, piece, isJson = false) {
      if (texts.failure !== null) return;
      texts.seen += piece;
      const released = note(yield* pushInSteps(guardOf(name, isJson), piece));
      // A chunk may hold several pieces of one text.
      ahead.set(name, (ahead.get(name) ?? '') + released);
    },
    end(name) {
      const guard = guards.get(name);
      guards.delete(name);
      return guard === undefined ? '' : run(guard, null);
    },
    open: () => guards.keys(),
    passWhole(text) {
      const guard = createTextGuard(filters, onFinding);
      return run(guard, text) + run(guard, null);
    },
  };
  return texts;
}

function passDelta(texts: GuardedTexts, index: number, delta: ChatDelta, isStrict: boolean): ChatDelta {
  const { content: _1, reasoning: _2, refusal: _3, ...remaining } = delta;
  const { tool_calls: calls, reasoning_details: details, audio, ...others } = remaining;
  const passed = completionDelta(others, texts.passWhole) as ChatDelta;
  for (const field of TEXT_FIELDS) {
    const piece = delta[field];
    if (piece === undefined || piece === null) continue;
    const text = texts.push(`${index} ${field}`, piece);
    if (text !== '') passed[field] = text;
  }
  if (isSpoken(audio)) {
    passed.audio = { ...audio, transcript: texts.push(`${index} transcript`, audio.transcript) };
  } else if (audio !== undefined) passed.audio = audio;
  if (calls !== undefined) passed.tool_calls = calls.map((call) => passCall(texts, index, call));
  // The details repeat the reasoning in separate pieces; only encrypted ones reveal nothing.
  const kept = isStrict ? details?.filter(({ type }) => type === 'reasoning.encrypted') : details;
  if (kept !== undefined && kept.length > 0) passed.reasoning_details = kept;
  return passed;
}

function passCall(texts: GuardedTexts, choice: number, call: ToolCallDelta): ToolCallDelta {
  const passed = texts.push(`${choice} call ${call.index}`, call.function.arguments, true);
  return { ...call, function: { ...call.function, arguments: passed } };
}

/** Adds the text that was held back of a choice that has ended. */
function addHeldBack(texts: GuardedTexts, index: number, delta: ChatDelta): void {
  for (const field of TEXT_FIELDS) {
    const rest = texts.end(`${index} ${field}`);
    if (rest !== '') delta[field] = (delta[field] ?? '') + rest;
  }
  const rest = texts.end(`${index} transcript`);
  const said = isSpoken(delta.audio) ? delta.audio : { transcript: '' };
  if (rest !== '') delta.audio = { ...said, transcript: said.transcript + rest };
  for (const name of texts.open()) {
    const [choice, field, call] = name.split(' ');
    if (Number(choice) !== index || field !== 'call') continue;
    const rest = texts.end(name);
    if (rest !== '') addArguments(delta, Number(call), rest);
  }
}

function addArguments(delta: ChatDelta, index: number, rest: string): void {
  const calls = (delta.tool_calls ??= []);
  const known = calls.find((call) => call.index === index);
  if (known === undefined) calls.push({ index, function: { arguments: rest } });
  else known.function.arguments += rest;
}

/** Text fields of a completion that arrive in pieces. */
const TEXT_FIELDS = ['content', 'reasoning', 'refusal'] as const;

/** The transcript of the audio arrives as text, too, and in pieces. */
function isSpoken(audio: unknown): audio is { readonly transcript: string } {
  return typeof audio === 'object' && audio !== null && 'transcript' in audio && typeof audio.transcript === 'string';
}

/** Takes long pieces of a completion's texts. */
interface TextsAhead {
  /** Adds a piece of a text, in steps; what may be sent of it is sent with the text's next piece. */
  pushAhead(name: string, piece: string, isJson?: boolean): Steps<void>;
}

/** Length of all pieces of texts in a chunk. */
function lengthOf({ choices }: ChatChunk): number {
  let length = 0;
  for (const { delta } of choices) {
    for (const field of TEXT_FIELDS) length += delta[field]?.length ?? 0;
    for (const call of delta.tool_calls ?? []) length += call.function.arguments.length;
    if (isSpoken(delta.audio)) length += delta.audio.transcript.length;
  }
  return length;
}

/** Guards the texts of a chunk ahead of it. Returns the chunk with empty texts in their places. */
function* guardAhead(chunk: ChatChunk, texts: TextsAhead): Steps<ChatChunk> {
  const choices: ChatChunk['choices'] = [];
  for (const choice of chunk.choices) choices.push({ ...choice, delta: yield* emptyDelta(choice, texts) });
  return { ...chunk, choices };
}

function* emptyDelta({ index, delta }: ChatChunk['choices'][number], texts: TextsAhead): Steps<ChatDelta> {
  const left: ChatDelta = { ...delta };
  for (const field of TEXT_FIELDS) {
    const piece = delta[field];
    if (piece === undefined || piece === null) continue;
    yield* texts.pushAhead(`${index} ${field}`, piece);
    left[field] = '';
  }
  const { audio, tool_calls: calls } = delta;
  if (isSpoken(audio)) {
    yield* texts.pushAhead(`${index} transcript`, audio.transcript);
    left.audio = { ...audio, transcript: '' };
  }
  if (calls === undefined) return left;
  left.tool_calls = [];
  for (const call of calls) {
    yield* texts.pushAhead(`${index} call ${call.index}`, call.function.arguments, true);
    left.tool_calls.push({ ...call, function: { ...call.function, arguments: '' } });
  }
  return left;
}
