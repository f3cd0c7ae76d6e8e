import { estimateUsage } from '../calls/estimate-usage.ts';
import { mapStrings } from '../calls/text-map.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, ToolCallDelta } from '../wire/chat/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat/chat-message.ts';
import { createTextGuard, type TextGuard } from './create-text-guard.ts';
import type { CompletionGuard } from './guard-call.ts';
import { toBlockError, toUnavailableError } from './verdict.ts';

type Batches = AsyncIterator<readonly ChatChunk[]>;

/** Text fields of a completion that arrive in pieces. */
const TEXT_FIELDS = ['content', 'reasoning', 'refusal'] as const;

/**
 * Releases what the output filters allow of a completion's batches. Each yields one batch, even with all text held
 * back, so that a completion begins when upstream has begun it. A blocked completion yields the text before the
 * finding, then throws `permission_denied`, as does one whose filters fail. Returning from it returns from upstream's
 * iterator. `messages` are the request's, to estimate the usage of a blocked completion.
 */
export function guardCompletion(
  batches: Batches,
  completionGuard: CompletionGuard,
  messages: readonly ChatMessage[],
): Batches {
  const guard = createChunkGuard(completionGuard, messages);
  return {
    async next() {
      const failure = guard.failure();
      if (failure !== null) throw failure;
      const step = await batches.next();
      return step.done === true ? step : { done: false, value: guard.pass(step.value) };
    },
    async return() {
      await batches.return?.();
      return { done: true, value: undefined };
    },
  };
}

interface ChunkGuard {
  failure(): GatewayError | null;
  /** Text of a choice that is held back is sent with its finish reason; without one the completion is broken anyway. */
  pass(chunks: readonly ChatChunk[]): readonly ChatChunk[];
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
        const citations = upstream?.citations && mapStrings(upstream.citations, texts.passWhole);
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

  return {
    failure: () => texts.failure,
    pass(chunks) {
      const passed = passAll(chunks);
      if (texts.failure === null || hasUsage) return passed;
      // Upstream is closed now and will not report its usage.
      return [...passed, { choices: [], usage: estimateUsage(messages, texts.seen) }];
    },
  };
}

/** The texts of a completion by name, each guarded separately. After the first block they release nothing more. */
interface GuardedTexts {
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
  const run = (guard: TextGuard, piece: string | null): string => {
    if (texts.failure !== null) return '';
    if (piece !== null) texts.seen += piece;
    const { text, blockedBy } = piece === null ? guard.end() : guard.push(piece);
    if (blockedBy !== null) {
      onFinding(blockedBy);
      texts.failure = toBlockError(blockedBy, 'Response');
    }
    return text;
  };
  const texts: GuardedTexts = {
    failure: null,
    seen: '',
    push(name, piece, isJson = false) {
      let guard = guards.get(name);
      if (guard === undefined) guards.set(name, (guard = createTextGuard(filters, onFinding, isJson)));
      return run(guard, piece);
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
  const passed: ChatDelta = mapStrings(others, texts.passWhole) as ChatDelta;
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

/** The transcript of the audio arrives as text, too, and in pieces. */
function isSpoken(audio: unknown): audio is { readonly transcript: string } {
  return typeof audio === 'object' && audio !== null && 'transcript' in audio && typeof audio.transcript === 'string';
}

function addArguments(delta: ChatDelta, index: number, rest: string): void {
  const calls = (delta.tool_calls ??= []);
  const known = calls.find((call) => call.index === index);
  if (known === undefined) calls.push({ index, function: { arguments: rest } });
  else known.function.arguments += rest;
}
