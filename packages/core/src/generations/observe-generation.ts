import { DEFAULT_WORKSPACE_ID } from '../auth/api-key.ts';
import { toStoredTrace } from '../broadcast/stored-trace.ts';
import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Cost } from '../catalog/prices.ts';
import type { RequestContext } from '../context.ts';
import type { GatewayError } from '../errors.ts';
import { headerOf } from '../request.ts';
import type { ChatChunk, Usage } from '../schemas/chat-chunk.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import type { Generation, GenerationContent, ProviderResponse } from '../schemas/generation.ts';
import type { GenerationRecord, StoredContent } from '../stores/store.ts';
import { type AnswerAccumulator, createAnswerAccumulator } from './answer-accumulator.ts';
import { countParts, type Spending, spendingOf, sumSpending, type Turn } from './spending.ts';
import { recordTimeline, withTimeline } from './stream-timeline.ts';
import { lengthOf, toToolCallRecord, toToolUse, type ToolStep } from './tool-steps.ts';

/** One endpoint that was asked, and what came of it. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** Milliseconds to the first chunk or the failure. */
  readonly latencyMs: number;
  /** Null when it succeeded. */
  readonly error: GatewayError | null;
}

/** How a call ended. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: GatewayError }
  | { readonly status: 'cancelled'; readonly error: GatewayError };

/** A call that has ended, with everything there is to know of it. */
export interface SettledGeneration {
  /** As the caller is told; undefined when nothing was used. */
  readonly usage: Usage | undefined;
  readonly record: GenerationRecord;
  readonly principal: Principal;
  /** Null when contents are not to be stored. */
  readonly content: StoredContent | null;
  /** About how long the content is in characters. */
  readonly contentLength: number;
}

/** One search of the web. */
export interface WebSearch {
  readonly engine: string;
  readonly results: number;
}

/** Follows one call from its first attempt to its end. */
export interface GenerationObserver {
  readonly id: string;
  readonly answer: AnswerAccumulator;
  /** The endpoint whose answer is being relayed. */
  endpoint(): Endpoint | undefined;
  /** Every endpoint that was asked, in order. */
  attempts(): readonly Attempt[];
  isSettled(): boolean;
  noteAttempt(attempt: Attempt): void;
  /** Says instead of `noteAttempt` that the answer is repeated: whose it is, and the generation it was made for. */
  noteReplay(endpoint: Endpoint, sourceId: string): void;
  /** A further answer begins within the call. From the first one on, usage and cost are those of all of them. */
  noteTurn(turn: Turn): void;
  noteToolStep(step: ToolStep): void;
  /** The web was searched within the call. */
  noteSearch(search: WebSearch): void;
  /** So far; undefined while no answer has begun. */
  spending(): Spending | undefined;
  observe(chunks: readonly ChatChunk[]): void;
  /** Call once. Makes the record; writing it is `recordGeneration`'s. */
  settle(outcome: Outcome): SettledGeneration;
}

export interface ObservedCall {
  readonly id: string;
  readonly context: RequestContext;
  readonly request: ChatCompletionRequest;
  readonly sessionId: string | null;
  /** The region whose host the call came to; its contents are not stored then. */
  readonly region: string | null;
  /** The router that chose the model, by the slug it was asked by; null without one. */
  readonly router: string | null;
  /** Length of the request's body. */
  readonly bodyLength: number;
  /** What guardrails did; may grow until the call has ended. */
  readonly pipeline: NonNullable<Generation['pipeline']>;
}

/** Starts to follow a call, at the moment this is called. */
export function observeGeneration(call: ObservedCall): GenerationObserver {
  const { platform, logging } = call.context.runtime;
  const startedAt = platform.now();
  const startedMonotonic = platform.monotonicNow();
  const isContentStored = logging.inputOutput && call.region === null;
  const isStream = call.request.stream === true;
  const answer = createAnswerAccumulator({
    maxLength: isContentStored ? logging.maxContentBytes : 0,
    // A whole answer comes at once, and is written down at once.
    openScratch: isContentStored && isStream ? platform.openScratch : undefined,
  });
  const isTimed = isContentStored && isStream;
  const timeline = isTimed ? recordTimeline(platform, startedMonotonic) : null;
  const attempts: Attempt[] = [];
  let endpoint: Endpoint | undefined;
  let isSettled = false;
  let replayOf: string | null = null;
  let turns: Turn[] | null = null;
  let toolSteps: ToolStep[] | null = null;
  let searches: WebSearch[] | null = null;

  const spending = (): Spending | undefined => {
    if (endpoint === undefined) return undefined;
    const at = platform.now();
    const [first = { endpoint, messages: call.request.messages, answer }, ...others] = turns ?? [];
    return sumSpending(
      spendingOf(first, at),
      others.map((turn) => spendingOf(turn, at)),
    );
  };

  return {
    id: call.id,
    answer,
    endpoint: () => endpoint,
    attempts: () => attempts,
    isSettled: () => isSettled,
    noteAttempt(attempt) {
      attempts.push(attempt);
      if (attempt.error === null) ({ endpoint } = attempt);
    },
    noteReplay(served, sourceId) {
      endpoint = served;
      replayOf = sourceId;
    },
    noteTurn: (turn) => void (turns ??= []).push(turn),
    noteToolStep: (step) => void (toolSteps ??= []).push(step),
    noteSearch: (search) => void (searches ??= []).push(search),
    spending,
    observe:
      timeline === null
        ? answer.observe
        : (chunks) => {
            answer.observe(chunks);
            timeline.note(answer);
          },
    settle(outcome) {
      isSettled = true;
      answer.unpack();
      const { usage, cost = null } = spending() ?? {};
      const steps = toolSteps ?? NO_STEPS;
      const durationMs = platform.monotonicNow() - startedMonotonic;
      const generation = toGeneration({
        call,
        answer,
        attempts,
        endpoint,
        outcome,
        usage,
        cost,
        startedAt,
        durationMs,
        replayOf,
        steps,
        searches,
      });
      const { id: principalId, userId } = call.context.principal;
      return {
        usage: usage && withCost(withToolUse(usage, steps), cost, endpoint),
        record: { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd: cost?.nanoUsd ?? 0 },
        principal: call.context.principal,
        content:
          isContentStored && isWhole(answer)
            ? withTimeline(toContent({ request: call.request, answer, attempts, outcome, steps }), timeline)
            : null,
        contentLength: call.bodyLength + lengthOfTexts(answer) + lengthOf(steps),
      };
    },
  };
}

const NO_STEPS: readonly ToolStep[] = [];

function isWhole({ packedTextLength, packedReasoningLength }: AnswerAccumulator): boolean {
  return packedTextLength === 0 && packedReasoningLength === 0;
}

function lengthOfTexts({ text, reasoning, packedTextLength, packedReasoningLength }: AnswerAccumulator): number {
  return packedTextLength + text.length + packedReasoningLength + reasoning.length;
}

function withToolUse(usage: Usage, steps: readonly ToolStep[]): Usage {
  if (steps.length === 0) return usage;
  return { ...usage, server_tool_use_details: toToolUse(steps, usage.server_tool_use_details) };
}

/**
 * Usage as the caller is told. What is not known is absent: clients that are in use refuse the whole answer over a cost
 * of null, and over details without their first count (seen in the AI SDK's provider, 3.1).
 */
function withCost(usage: Usage, cost: Cost | null, endpoint: Endpoint | undefined): Usage {
  const told: Usage = { ...usage };
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  if (prompt !== undefined && prompt.cached_tokens === undefined) delete told.prompt_tokens_details;
  if (completion !== undefined && completion.reasoning_tokens === undefined) delete told.completion_tokens_details;
  told.is_byok = endpoint?.provider.byok ?? false;
  if (cost !== null) {
    told.cost = cost.usd;
    told.cost_details = {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: cost.promptUsd,
      upstream_inference_completions_cost: cost.completionUsd,
    };
  }
  return told;
}

interface GenerationFacts {
  readonly call: ObservedCall;
  readonly answer: AnswerAccumulator;
  readonly attempts: readonly Attempt[];
  readonly endpoint: Endpoint | undefined;
  readonly outcome: Outcome;
  readonly usage: Usage | undefined;
  readonly cost: Cost | null;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The generation whose answer was repeated. */
  readonly replayOf: string | null;
  readonly steps: readonly ToolStep[];
  readonly searches: readonly WebSearch[] | null;
}

/** What a stored header may hold; callers choose them freely. */
const MAX_STORED_HEADER = 512;

function toGeneration(facts: GenerationFacts): Generation {
  const { call, answer, attempts, outcome, usage, cost } = facts;
  const { request, context } = call;
  const endpoint = facts.endpoint ?? attempts.at(-1)?.endpoint;
  const header = (name: string): string | null =>
    headerOf(context.request.headers, name)?.slice(0, MAX_STORED_HEADER) ?? null;
  const referer = header('http-referer') ?? header('referer');
  const images = countParts(request.messages, 'image_url');
  const isUnused = usage === undefined;
  const generation: Generation = {
    id: call.id,
    request_id: call.id,
    upstream_id: answer.upstreamId ?? null,
    session_id: call.sessionId,
    created_at: new Date(facts.startedAt).toISOString(),
    model: endpoint?.modelId ?? request.model ?? '',
    router: call.router,
    provider_name: endpoint?.provider.name ?? null,
    api_type: 'completions',
    origin: referer ?? '',
    http_referer: referer,
    app_id: null,
    user_agent: header('user-agent'),
    external_user: request.user ?? null,
    preset_id: null,
    workspace_id: context.principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
    data_region: call.region ?? endpoint?.region ?? 'global',
    is_byok: endpoint?.provider.byok ?? false,
    streamed: request.stream === true,
    cancelled: outcome.status === 'cancelled',
    finish_reason: finishReasonOf(outcome, answer),
    native_finish_reason: outcome.status === 'completed' ? (answer.finish?.native ?? null) : null,
    service_tier: answer.serviceTier ?? null,
    tokens_prompt: usage?.prompt_tokens ?? null,
    tokens_completion: usage?.completion_tokens ?? null,
    native_tokens_prompt: usage?.prompt_tokens ?? null,
    native_tokens_completion: usage?.completion_tokens ?? null,
    native_tokens_reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? null,
    native_tokens_cached: usage?.prompt_tokens_details?.cached_tokens ?? null,
    native_tokens_completion_images: usage?.completion_tokens_details?.image_tokens ?? null,
    num_media_prompt: images,
    num_media_completion: null,
    num_input_audio_prompt: countParts(request.messages, 'input_audio'),
    num_search_results: facts.searches?.reduce((sum, { results }) => sum + results, 0) ?? null,
    num_fetches: facts.steps.length === 0 ? null : facts.steps.filter(({ tool }) => tool === 'web_fetch').length,
    web_search_engine: facts.searches?.[0]?.engine ?? null,
    total_cost: cost?.usd ?? 0,
    usage: cost?.usd ?? 0,
    upstream_inference_cost: answer.upstreamCostUsd ?? null,
    cache_discount: null,
    latency: latencyOf(attempts),
    moderation_latency: null,
    generation_time: Math.round(facts.durationMs),
    response_cache_source_id: facts.replayOf,
    provider_responses: attempts.map(toProviderResponse),
    cost_known: isUnused || cost !== null,
    usage_estimated: usage?.estimated ?? false,
  };
  if (call.pipeline.length > 0) generation.pipeline = call.pipeline;
  if (request.trace != null) generation.trace = toStoredTrace(request.trace);
  if (call.region !== null) generation.called_region = call.region;
  return generation;
}

function finishReasonOf(outcome: Outcome, answer: AnswerAccumulator): string | null {
  switch (outcome.status) {
    case 'completed':
      return answer.finish?.reason ?? null;
    case 'failed':
      return 'error';
    case 'cancelled':
      return null;
  }
}

/** Time to the first chunk as the caller felt it: failed attempts before it count, further turns do not. */
function latencyOf(attempts: readonly Attempt[]): number | null {
  if (attempts.length === 0) return null;
  const begun = attempts.findIndex(({ error }) => error === null);
  const upToFirst = begun === -1 ? attempts : attempts.slice(0, begun + 1);
  return Math.round(upToFirst.reduce((sum, { latencyMs }) => sum + latencyMs, 0));
}

function toProviderResponse({ endpoint, latencyMs, error }: Attempt): ProviderResponse {
  return {
    endpoint_id: `${endpoint.tag}:${endpoint.providerModel}`,
    is_byok: endpoint.provider.byok ?? false,
    latency: Math.round(latencyMs),
    model_permaslug: endpoint.modelId,
    provider_name: endpoint.provider.name,
    status: error === null ? 200 : error.upstreamStatus,
  };
}

function toContent({
  request,
  answer,
  attempts,
  outcome,
  steps,
}: Pick<GenerationFacts, 'answer' | 'attempts' | 'outcome' | 'steps'> & {
  readonly request: ChatCompletionRequest;
}): GenerationContent {
  const error = outcome.status === 'completed' ? null : outcome.error;
  // The last failure of a call without an answer is the error itself, told again with those before it.
  const before = outcome.status === 'failed' ? attempts.slice(0, -1) : attempts;
  const failed = before.filter((attempt) => attempt.error !== error);
  return {
    input: { messages: request.messages },
    output: {
      completion: answer.text === '' ? null : answer.text,
      reasoning: answer.reasoning === '' ? null : answer.reasoning,
      ...(answer.toolCalls.length > 0 && { tool_calls: [...answer.toolCalls] }),
      ...(steps.length > 0 && { server_tool_calls: steps.map(toToolCallRecord) }),
    },
    error: error && {
      message: error.message,
      status: error.status,
      provider_name: attempts.at(-1)?.endpoint.provider.name ?? null,
      raw: null,
      previous_errors: failed.flatMap((attempt) =>
        attempt.error === null
          ? []
          : [
              {
                code: attempt.error.status,
                message: attempt.error.message,
                provider_name: attempt.endpoint.provider.name,
              },
            ],
      ),
    },
  };
}
