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

function createChunkGuard({ filters, onFinding }: CompletionGuard, messages: readonly ChatMessage[]): ChunkGuard {
  const guards = new Map<string, TextGuard>();
  let failure: GatewayError | null = null;
  let seen = '';
  let hasUsage = false;

  const guardOf = (key: string, isJson = false): TextGuard => {
    let guard = guards.get(key);
    if (guard === undefined) guards.set(key, (guard = createTextGuard(filters, onFinding, isJson)));
    return guard;
  };

  /** Releases nothing more after the first block. */
  const run = (guard: TextGuard, piece: string | null): string => {
    if (failure !== null) return '';
    if (piece !== null) seen += piece;
    const { text, blockedBy } = piece === null ? guard.end() : guard.push(piece);
    if (blockedBy !== null) {
      onFinding(blockedBy);
      failure = toBlockError(blockedBy, 'Response');
    }
    return text;
  };

  const runWhole = (text: string): string => {
    const guard = createTextGuard(filters, onFinding);
    return run(guard, text) + run(guard, null);
  };

  const passDelta = (index: number, delta: ChatDelta): ChatDelta => {
    const { content: _1, reasoning: _2, refusal: _3, ...remaining } = delta;
    const { tool_calls: calls, reasoning_details: details, audio, ...others } = remaining;
    const passed: ChatDelta = mapStrings(others, runWhole) as ChatDelta;
    for (const field of TEXT_FIELDS) {
      const piece = delta[field];
      if (piece === undefined || piece === null) continue;
      const text = run(guardOf(`${index} ${field}`), piece);
      if (text !== '') passed[field] = text;
    }
    if (isSpoken(audio)) passed.audio = { ...audio, transcript: run(guardOf(`${index} transcript`), audio.transcript) };
    else if (audio !== undefined) passed.audio = audio;
    if (calls !== undefined) passed.tool_calls = calls.map((call) => passCall(index, call));
    // The details repeat the reasoning in separate pieces; only encrypted ones reveal nothing.
    const kept = filters.isStrict ? details?.filter(({ type }) => type === 'reasoning.encrypted') : details;
    if (kept !== undefined && kept.length > 0) passed.reasoning_details = kept;
    return passed;
  };

  const passCall = (index: number, call: ToolCallDelta): ToolCallDelta => ({
    ...call,
    function: { ...call.function, arguments: run(guardOf(callKey(index, call.index), true), call.function.arguments) },
  });

  /** Adds the text that was held back of a choice that has ended. */
  const flush = (index: number, delta: ChatDelta): ChatDelta => {
    for (const field of TEXT_FIELDS) {
      const guard = guards.get(`${index} ${field}`);
      const rest = guard === undefined ? '' : run(guard, null);
      if (rest !== '') delta[field] = (delta[field] ?? '') + rest;
      guards.delete(`${index} ${field}`);
    }
    const transcript = guards.get(`${index} transcript`);
    if (transcript !== undefined) {
      const rest = run(transcript, null);
      guards.delete(`${index} transcript`);
      const said = isSpoken(delta.audio) ? delta.audio : { transcript: '' };
      if (rest !== '') delta.audio = { ...said, transcript: said.transcript + rest };
    }
    for (const [key, guard] of guards) {
      const [choice, field, call] = key.split(' ');
      if (Number(choice) !== index || field !== 'call') continue;
      const rest = run(guard, null);
      guards.delete(key);
      if (rest !== '') addArguments(delta, Number(call), rest);
    }
    return delta;
  };

  const passChoice = (choice: ChatChunkChoice): ChatChunkChoice => {
    const delta = passDelta(choice.index, choice.delta);
    const { logprobs: _spellOutTheText, ...others } = choice;
    return {
      ...(filters.isStrict ? others : choice),
      delta: choice.finish_reason === null ? delta : flush(choice.index, delta),
    };
  };

  const safely = (produce: () => ChatChunk[]): readonly ChatChunk[] => {
    let chunks: ChatChunk[];
    try {
      chunks = produce();
    } catch (error) {
      failure = toUnavailableError('Response', error);
      chunks = [{ choices: [{ index: 0, delta: {}, finish_reason: null, native_finish_reason: null }] }];
    }
    if (failure === null || hasUsage) return chunks;
    // Upstream is closed now and will not report its usage.
    return [...chunks, { choices: [], usage: estimateUsage(messages, seen) }];
  };

  return {
    failure: () => failure,
    pass: (chunks) =>
      safely(() =>
        chunks.map((chunk) => {
          if (chunk.usage !== undefined) hasUsage = true;
          return { ...chunk, choices: chunk.choices.map(passChoice) };
        }),
      ),
  };
}

/** The transcript of the audio arrives as text, too, and in pieces. */
function isSpoken(audio: unknown): audio is { readonly transcript: string } {
  return typeof audio === 'object' && audio !== null && 'transcript' in audio && typeof audio.transcript === 'string';
}

const callKey = (choice: number, call: number): string => `${choice} call ${call}`;

function addArguments(delta: ChatDelta, index: number, rest: string): void {
  const calls = (delta.tool_calls ??= []);
  const known = calls.find((call) => call.index === index);
  if (known === undefined) calls.push({ index, function: { arguments: rest } });
  else known.function.arguments += rest;
}
