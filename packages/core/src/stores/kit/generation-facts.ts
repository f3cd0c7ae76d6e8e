import { type GenerationStatus, statusOfGeneration } from '../../wire/generations/generation-status.ts';
import type { GenerationRecord } from '../store.ts';

/** The facts about a record that filters and histograms use: small enough to be in memory for every generation. */
export interface GenerationFacts {
  readonly createdAtMs: number;
  readonly model: string;
  readonly providerName: string | null;
  readonly sessionId: string | null;
  readonly status: GenerationStatus;
  readonly principalId: string;
  readonly costNanoUsd: number;
  readonly isCostKnown: boolean;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Null for what had no first token: whole responses, and calls that failed before. */
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly attempts: number;
}

export function toGenerationFacts({ generation, principalId, costNanoUsd }: GenerationRecord): GenerationFacts {
  return {
    createdAtMs: Date.parse(generation.created_at),
    model: generation.model,
    providerName: generation.provider_name,
    sessionId: generation.session_id,
    status: statusOfGeneration(generation),
    principalId,
    costNanoUsd,
    isCostKnown: generation.cost_known,
    promptTokens: generation.tokens_prompt,
    completionTokens: generation.tokens_completion,
    firstTokenMs: generation.streamed === true && (generation.tokens_completion ?? 0) > 0 ? generation.latency : null,
    durationMs: generation.generation_time,
    attempts: generation.provider_responses?.length ?? 0,
  };
}

/** Tokens a second: of a stream from its first token on, of a whole response over its time. */
export function speedOf({ completionTokens: tokens, durationMs, firstTokenMs }: GenerationFacts): number | null {
  const takenMs = (durationMs ?? 0) - (firstTokenMs ?? 0);
  return tokens === null || tokens < 2 || takenMs <= 0 ? null : (tokens / takenMs) * 1000;
}
