import { type Generation, type ProviderResponse, statusOfGeneration } from '../../wire/generation.ts';
import type { AttemptFacts, GenerationFacts } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';

/** The members of a generation of which its facts are made. */
export type FactSource = Pick<
  Generation,
  | 'created_at'
  | 'model'
  | 'provider_name'
  | 'session_id'
  | 'origin'
  | 'user_agent'
  | 'external_user'
  | 'streamed'
  | 'cancelled'
  | 'interrupted'
  | 'finish_reason'
  | 'tokens_prompt'
  | 'tokens_completion'
  | 'cost_known'
  | 'latency'
  | 'generation_time'
> & {
  readonly provider_responses: readonly AttemptSource[] | null;
};

/** The members of an attempt of which its facts are made. */
export type AttemptSource = Pick<
  ProviderResponse,
  'endpoint_id' | 'latency' | 'model_permaslug' | 'provider_name' | 'status' | 'error'
>;

export function toGenerationFacts({
  generation,
  principalId,
  userId,
  costNanoUsd,
}: Omit<GenerationRecord, 'generation'> & { readonly generation: FactSource }): GenerationFacts {
  return {
    createdAtMs: Date.parse(generation.created_at),
    model: generation.model,
    providerName: generation.provider_name,
    sessionId: generation.session_id,
    status: statusOfGeneration(generation),
    principalId,
    userId: userId ?? null,
    app: appOf(generation),
    costNanoUsd,
    isCostKnown: generation.cost_known,
    promptTokens: generation.tokens_prompt,
    completionTokens: generation.tokens_completion,
    firstTokenMs: firstTokenMsOf(generation),
    durationMs: generation.generation_time,
    tokensPerSecond: tokensPerSecondOf(generation),
    attempts: generation.provider_responses?.length ?? 0,
    latencyMs: generation.latency,
    isStreamed: generation.streamed === true,
    finishReason: generation.finish_reason,
    userAgent: generation.user_agent,
    externalUser: generation.external_user,
    errors: errorsOf(generation),
  };
}

const NONE: readonly string[] = [];

function errorsOf({ provider_responses: attempts }: Pick<FactSource, 'provider_responses'>): readonly string[] {
  const failed = attempts?.flatMap(({ error }) => error ?? []) ?? [];
  return failed.length === 0 ? NONE : failed.flatMap(({ error_type: type, code }) => [type, String(code)]);
}

/** The attempts of a generation, in order. */
export function toAttemptFacts({
  model,
  provider_responses: attempts,
}: Pick<FactSource, 'model' | 'provider_responses'>): AttemptFacts[] {
  return (attempts ?? []).map((attempt) => ({
    providerName: attempt.provider_name ?? null,
    endpointId: attempt.endpoint_id ?? null,
    model: attempt.model_permaslug ?? model,
    status: attempt.status,
    latencyMs: attempt.latency ?? null,
    errorCode: attempt.error?.code ?? null,
    errorType: attempt.error?.error_type ?? null,
  }));
}

const MAX_APP_CHARS = 200;

/** The app that called: its address, or else the name with which its user agent begins; null without both. */
export function appOf({ origin, user_agent: userAgent }: Pick<Generation, 'origin' | 'user_agent'>): string | null {
  const app = origin === '' ? /^[^\s/(]+/.exec(userAgent ?? '')?.[0] : origin;
  return app === undefined ? null : app.slice(0, MAX_APP_CHARS);
}

/**
 * Milliseconds to the first token of a stream; null for what had no first token. The latency of a whole response is that
 * of the response, and that of a failed call the time until it failed.
 */
export function firstTokenMsOf({
  streamed,
  tokens_completion: tokens,
  latency,
}: Pick<Generation, 'streamed' | 'tokens_completion' | 'latency'>): number | null {
  return streamed === true && (tokens ?? 0) > 0 ? latency : null;
}

/** Tokens a second: of a stream from the first to the last, of a whole response over its time; null when nothing can be said. */
export function tokensPerSecondOf(
  generation: Pick<Generation, 'streamed' | 'tokens_completion' | 'generation_time' | 'latency'>,
): number | null {
  const { tokens_completion: tokens, generation_time: ms } = generation;
  const takenMs = (ms ?? 0) - (firstTokenMsOf(generation) ?? 0);
  return tokens === null || tokens < 2 || takenMs <= 0 ? null : (tokens / takenMs) * 1000;
}
