import type { Usage } from '@model-gateway/core/wire';
import { createStore, type StoreApi } from 'zustand/vanilla';

import { isObject } from '../../api/is-object.ts';
import type { ToolCall } from './experiment.ts';
import type { ChatPiece, ToolCallPiece } from './stream-chat.ts';

/** One completion of one model, while it comes and afterwards. */
export interface RunState {
  readonly status: 'idle' | 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly reasoning: string;
  /** Opaque, to be sent back to the model that wrote them. */
  readonly reasoningDetails: readonly unknown[];
  readonly toolCalls: readonly ToolCall[];
  /** Addresses that contain the bytes. */
  readonly images: readonly string[];
  /** Base64, in pieces as they came. */
  readonly audio: readonly string[];
  readonly generationId: string | null;
  readonly provider: string | null;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly firstTokenMs: number | null;
  readonly elapsedMs: number | null;
  readonly error: unknown;
}

/** It changes at most once a frame. */
export interface Run extends Omit<StoreApi<RunState>, 'setState'> {
  /** Restarts; resolves when it has ended, however it has. */
  start(open: (signal: AbortSignal) => AsyncIterable<ChatPiece>): Promise<void>;
  stop(): void;
}

const IDLE: RunState = {
  status: 'idle',
  text: '',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  images: [],
  audio: [],
  generationId: null,
  provider: null,
  finishReason: null,
  usage: null,
  firstTokenMs: null,
  elapsedMs: null,
  error: null,
};

/** Creates a place for one completion at a time. */
export function createRun(schedule: Schedule, now: () => number): Run {
  const { setState, ...store } = createStore<RunState>(() => IDLE);
  let abort: AbortController | undefined;
  return {
    ...store,
    stop: () => abort?.abort(),
    async start(open) {
      abort?.abort();
      const own = new AbortController();
      abort = own;
      const startedAt = now();
      setState({ ...IDLE, status: 'waiting' });
      // Late output of a run is dropped once the next run has begun.
      const changeOwn = (next: Partial<RunState>): void => {
        if (abort === own) setState(next);
      };
      // When it came, not when it is drawn.
      let firstTokenMs: number | null = null;
      const buffer = createFrameBuffer<ChatPiece>(schedule, (pieces) =>
        changeOwn({ ...addPieces(store.getState(), pieces), firstTokenMs }),
      );
      let end: Partial<RunState>;
      try {
        for await (const piece of open(own.signal)) {
          if (firstTokenMs === null && hasOutput(piece)) firstTokenMs = now() - startedAt;
          buffer.push(piece);
        }
        end = { status: 'done' };
      } catch (error) {
        end = own.signal.aborted ? { status: 'stopped' } : { status: 'failed', error };
      }
      buffer.flush();
      changeOwn({ ...end, elapsedMs: now() - startedAt });
    },
  };
}

const hasOutput = ({ text, transcript, reasoning, toolCalls, images, audio }: ChatPiece): boolean =>
  [text, transcript, reasoning, toolCalls, images, audio].some((part) => part !== undefined && part.length > 0);

function addPieces(state: RunState, pieces: readonly ChatPiece[]): Partial<RunState> {
  let { text, reasoning, reasoningDetails, toolCalls, images, audio } = state;
  let { generationId, provider, finishReason, usage } = state;
  for (const piece of pieces) {
    // Models that speak write nothing else.
    text += piece.text ?? piece.transcript ?? '';
    reasoning += piece.reasoning ?? '';
    if (piece.reasoningDetails !== undefined) reasoningDetails = joinDetails(reasoningDetails, piece.reasoningDetails);
    if (piece.toolCalls !== undefined) toolCalls = piece.toolCalls.reduce(addToolCall, toolCalls);
    if (piece.images !== undefined) images = [...images, ...piece.images];
    if (piece.audio !== undefined) audio = [...audio, piece.audio];
    generationId = piece.generationId ?? generationId;
    provider = piece.provider ?? provider;
    finishReason = piece.finishReason ?? finishReason;
    usage = piece.usage ?? usage;
  }
  const hasBegun = [text, reasoning, toolCalls, images, audio].some(({ length }) => length > 0);
  return {
    text,
    reasoning,
    reasoningDetails,
    toolCalls,
    images,
    audio,
    generationId,
    provider,
    finishReason,
    usage,
    status: hasBegun ? 'streaming' : 'waiting',
  };
}

function addToolCall(calls: readonly ToolCall[], piece: ToolCallPiece): readonly ToolCall[] {
  const before = calls[piece.index] ?? { id: '', name: '', arguments: '' };
  const next = [...calls];
  next[Math.min(piece.index, calls.length)] = {
    id: piece.id ?? (before.id || `call_${piece.index}`),
    name: piece.name ?? before.name,
    arguments: before.arguments + piece.arguments,
  };
  return next;
}

/** Members of which the pieces are parts of one text. */
const TEXTS = ['text', 'summary', 'data'] as const;

/**
 * Joins what a stream says of reasoning with what has come before: pieces of one detail follow one another under the
 * same type and index, with its signature in the last.
 */
export function joinDetails(before: readonly unknown[], pieces: readonly unknown[]): readonly unknown[] {
  return pieces.reduce<readonly unknown[]>((details, piece) => {
    const last = details.at(-1);
    if (!isObject(piece) || !isObject(last) || last['type'] !== piece['type'] || last['index'] !== piece['index'])
      return [...details, piece];
    // Without an index nothing says that they belong together.
    if (piece['index'] === undefined) return [...details, piece];
    return [...details.slice(0, -1), join(last, piece)];
  }, before);
}

function join(before: Record<string, unknown>, piece: Record<string, unknown>): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null && value !== undefined));
  const joined = { ...before, ...given };
  for (const name of TEXTS) {
    if (typeof before[name] === 'string' && typeof given[name] === 'string') joined[name] = before[name] + given[name];
  }
  return joined;
}

/** Calls back before the next paint: `requestAnimationFrame`, which rests while the page is hidden. */
export type Schedule = (callback: () => void) => void;

export interface FrameBuffer<Item> {
  push(item: Item): void;
  /** Hands on what is left, at once. */
  flush(): void;
}

/** Collects what comes in and hands it on once a frame, so that drawing costs the same however fast tokens come. */
function createFrameBuffer<Item>(schedule: Schedule, take: (items: readonly Item[]) => void): FrameBuffer<Item> {
  let items: Item[] = [];
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    if (items.length === 0) return;
    const taken = items;
    items = [];
    take(taken);
  };
  return {
    push(item) {
      items.push(item);
      if (isScheduled) return;
      isScheduled = true;
      schedule(flush);
    },
    flush,
  };
}
