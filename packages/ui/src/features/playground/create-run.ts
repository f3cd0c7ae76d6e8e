import type { Usage } from '@model-gateway/core/wire';
import { createStore, type StoreApi } from 'zustand/vanilla';

import type { ToolCall } from './experiment/experiment.ts';
import type { ChatPiece, ToolCallPiece } from './stream/chat-piece.ts';
import { createFrameBuffer, type Schedule } from './stream/create-frame-buffer.ts';
import { joinDetails } from './stream/join-details.ts';

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
  /** Starts anew; resolves when it has ended, however it has. */
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
      const buffer = createFrameBuffer<ChatPiece>(schedule, (pieces) =>
        changeOwn(addPieces(store.getState(), pieces, now() - startedAt)),
      );
      let end: Partial<RunState>;
      try {
        for await (const piece of open(own.signal)) buffer.push(piece);
        end = { status: 'done' };
      } catch (error) {
        end = own.signal.aborted ? { status: 'stopped' } : { status: 'failed', error };
      }
      buffer.flush();
      changeOwn({ ...end, elapsedMs: now() - startedAt });
    },
  };
}

function addPieces(state: RunState, pieces: readonly ChatPiece[], sinceStartMs: number): Partial<RunState> {
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
    firstTokenMs: state.firstTokenMs ?? (hasBegun ? sinceStartMs : null),
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
