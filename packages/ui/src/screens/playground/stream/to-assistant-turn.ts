import { ApiError } from '../../../api/api-error.ts';
import type { RunState } from '../../../features/playground/create-run.ts';
import type { AssistantTurn, Failure, Outcome } from '../../../features/playground/experiment.ts';

interface TurnFacts {
  readonly id: string;
  readonly model: string;
  readonly isStreamed: boolean;
  /** ISO 8601. */
  readonly endedAt: string;
  readonly fittedTokens?: number | undefined;
}

/** The completion of a run that has ended, as a turn of the conversation. */
export function toAssistantTurn(
  state: RunState,
  { id, model, isStreamed, endedAt, fittedTokens }: TurnFacts,
): AssistantTurn {
  const outcome: Outcome = {
    status: state.status === 'failed' || state.status === 'stopped' ? state.status : 'done',
    model,
    provider: state.provider,
    generationId: state.generationId,
    finishReason: state.finishReason,
    promptTokens: state.usage?.prompt_tokens ?? null,
    completionTokens: state.usage?.completion_tokens ?? null,
    costUsd: state.usage?.cost ?? null,
    firstTokenMs: state.firstTokenMs,
    elapsedMs: state.elapsedMs,
    endedAt,
    error: state.status === 'failed' ? toFailure(state.error) : null,
    fittedTokens,
  };
  const { text, reasoning, reasoningDetails, toolCalls, images } = state;
  const audio =
    state.audio.length === 0 ? null : { format: isStreamed ? 'pcm16' : 'mp3', data: joinBase64(state.audio) };
  // A call of a tool that broke off half-way cannot be answered, nor sent back.
  const whole = outcome.status === 'done' ? toolCalls : [];
  return { type: 'assistant', id, text, reasoning, reasoningDetails, toolCalls: whole, images, audio, outcome };
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { message: String(error), status: -1, errorType: 'script', issues: [] };
  const { message, status, errorType, issues } = error;
  return { message, status, errorType, issues };
}

/** Each piece of a stream is base64 by itself. */
const joinBase64 = (pieces: readonly string[]): string =>
  pieces.length === 1 ? (pieces[0] ?? '') : btoa(pieces.map((piece) => atob(piece)).join(''));
