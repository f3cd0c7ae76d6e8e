import type { CompletionEnvelope, WholeCompletion } from '../../chat/format.ts';
import { type GatewayError, toErrorBody } from '../../foundation/errors.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { FinishReason, Usage } from '../../wire/chat-chunk.ts';
import type { ResponsesRequest } from '../../wire/responses.ts';

/** A response that has just begun: what the request asked for, and nothing of the completion. */
export function toResponse(
  { id, created, model, provider, serviceTier }: CompletionEnvelope,
  body: ResponsesRequest,
): Record<string, unknown> {
  return {
    id,
    object: 'response',
    created_at: created,
    completed_at: null,
    model,
    provider,
    status: 'in_progress',
    output: [],
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    metadata: body['metadata'] ?? {},
    ...Object.fromEntries(Object.entries(DEFAULTS).map(([field, usual]) => [field, body[field] ?? usual])),
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(withStrict),
    text: { ...body.text, format: body.text?.format ?? { type: 'text' } },
    reasoning: body.reasoning ? { effort: null, summary: null, ...body.reasoning } : null,
    max_output_tokens: body.max_output_tokens ?? null,
    previous_response_id: null,
    store: false,
    background: false,
    truncation: body['truncation'] ?? 'disabled',
    service_tier: serviceTier ?? 'default',
    usage: null,
  };
}

/** Defaults of a request: clients of this format insist on a value. */
const DEFAULTS = {
  temperature: 1,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  top_logprobs: 0,
  max_tool_calls: null,
  safety_identifier: null,
  prompt_cache_key: null,
} as const;

/** Functions have `strict`, or null if it is not given. */
function withStrict(tool: unknown): unknown {
  return isRecord(tool) && tool['type'] === 'function' && tool['strict'] === undefined
    ? { ...tool, strict: null }
    : tool;
}

/**
 * A response of upstream's own. What it lacks is as `base` has it, and so is what it leaves null where clients need a
 * value.
 */
function withBase(given: Unchecked, base: Unchecked): Unchecked {
  const merged: Record<string, unknown> = { ...base, ...given };
  for (const [field, usual] of Object.entries(base)) {
    if (usual !== null && merged[field] === null) merged[field] = usual;
  }
  if (Array.isArray(merged['tools'])) merged['tools'] = merged['tools'].map(withStrict);
  return merged;
}

/** A response of upstream's own, under the names that it has here. What it lacks, and clients need, is as `base` has it. */
export function toOwn(
  given: Unchecked,
  { id, model, provider }: CompletionEnvelope,
  base: Unchecked,
): Record<string, unknown> {
  const { store, previous_response_id } = base;
  return { ...withBase(given, base), id, model, provider, store, previous_response_id };
}

/** The last response of upstream's own, with what it has cost here. */
export function toOwnEnding(
  own: Unchecked,
  usage: Usage | undefined,
  members: WholeCompletion['members'],
): Record<string, unknown> {
  const given = isRecord(own['usage']) ? own['usage'] : null;
  return { ...own, usage: usage === undefined ? given : withCosts(toResponsesUsage(usage), given), ...members };
}

/** The counts that upstream names, and the costs that the gateway knows. */
function withCosts(counted: Unchecked, given: Unchecked | null): Unchecked {
  if (given === null) return counted;
  const costs = Object.entries(counted).filter(([name]) => !/token/.test(name));
  return { ...counted, ...given, ...Object.fromEntries(costs) };
}

interface ResponseEnd {
  readonly reason: FinishReason;
  readonly output: readonly object[];
  readonly usage: Usage | undefined;
  readonly error: GatewayError | null;
}

/** The members of a response with its end. */
export function toEnding({ reason, output, usage, error }: ResponseEnd): Record<string, unknown> {
  const status = error !== null || reason === 'error' ? 'failed' : STATUSES[reason];
  return {
    status,
    output,
    usage: usage === undefined ? null : toResponsesUsage(usage),
    incomplete_details: status === 'incomplete' ? { reason: INCOMPLETE[reason] ?? 'max_output_tokens' } : null,
    ...(error === null ? {} : { error: toFailure(error), error_type: error.errorType }),
  };
}

const STATUSES = {
  stop: 'completed',
  tool_calls: 'completed',
  length: 'incomplete',
  content_filter: 'incomplete',
} as const;

const INCOMPLETE: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/**
 * Codes by which clients of this form decide; a context that is too long is one of them for agents (wire.md 22.2). An
 * overload has none of its own: agents give up when they read of one, though their next try may reach another endpoint.
 */
const CODES: ReadonlyMap<string, string> = new Map([
  ['rate_limit_exceeded', 'rate_limit_exceeded'],
  ['context_length_exceeded', 'context_length_exceeded'],
  ['invalid_request', 'invalid_prompt'],
  ['content_policy_violation', 'invalid_prompt'],
  ['payment_required', 'insufficient_quota'],
]);

function toFailure(error: GatewayError): object {
  const { message } = toErrorBody(error);
  return { code: CODES.get(error.errorType) ?? 'server_error', message };
}

/** Counts in this form; the parts of the cost have other names here. */
export function toResponsesUsage(usage: Usage): Record<string, unknown> {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, cost_details: costs } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: prompt?.cached_tokens ?? 0,
      ...(prompt?.cache_write_tokens !== undefined && { cache_write_tokens: prompt.cache_write_tokens }),
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: completion?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
    ...(usage.cost !== undefined && { cost: usage.cost }),
    ...(usage.is_byok !== undefined && { is_byok: usage.is_byok }),
    ...(usage.estimated !== undefined && { estimated: usage.estimated }),
    ...(costs && {
      cost_details: {
        upstream_inference_cost: costs.upstream_inference_cost,
        upstream_inference_input_cost: costs.upstream_inference_prompt_cost,
        upstream_inference_output_cost: costs.upstream_inference_completions_cost,
      },
    }),
    ...(usage.server_tool_use_details && { server_tool_use_details: usage.server_tool_use_details }),
  };
}

/** The finish reason of a whole completion. */
export function reasonOf({ chunks }: WholeCompletion): FinishReason {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? 'stop';
}
