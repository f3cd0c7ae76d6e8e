import type { Attempt } from '../calls/attempt.ts';
import type { Pipeline, RuledCall } from '../calls/model-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type HeaderMap } from '../http/request.ts';
import type { RoutingMembers, RoutingMetadata } from '../wire/routing.ts';
import { noEndpointLeft } from './endpoints/no-endpoint-left.ts';
import type { CallPlan } from './plan-call.ts';

export interface RoutingOutcome {
  readonly attempts: readonly Pick<Attempt, 'endpoint' | 'error' | 'brokeOff'>[];
  /** The response is an error. */
  readonly hasFailed: boolean;
  /** Milliseconds; undefined when upstream was never called. */
  readonly generationMs?: number | null | undefined;
}

/** Reports the routing of a request to a caller who requested it. */
export interface RoutingReport {
  /** Members of the response, by the names that the caller requested; undefined for a completion that was repeated. */
  toMembers(outcome: RoutingOutcome): RoutingMembers | undefined;
}

/**
 * Creates a report when one of the headers requests it, else null (wire.md 12). `pipeline` lists the other effects on
 * the request, and may grow until the response has ended.
 */
export function createRoutingReport(headers: HeaderMap, plan: CallPlan, { stages }: Pipeline): RoutingReport | null {
  const names = memberNamesOf(headers);
  if (names.length === 0) return null;
  return {
    toMembers(outcome) {
      const isRepeated = !outcome.hasFailed && outcome.attempts.length === 0;
      if (isRepeated) return undefined;
      const metadata = toRoutingMetadata(plan, stages, outcome);
      return Object.fromEntries(names.map((name) => [name, metadata]));
    },
  };
}

/** Adds the report to the error. An internal failure must not reveal details, and gets none. */
export function withReport(error: GatewayError, report: RoutingReport | null, outcome: RoutingOutcome): GatewayError {
  if (report === null || error.code === 'internal') return error;
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    metadata: error.metadata,
    retryAfterSeconds: error.retryAfterSeconds,
    upstreamStatus: error.upstreamStatus,
    beside: report.toMembers(outcome),
  });
}

/**
 * Each header has a member of its own name in the response; the older compatible spelling counts where the current one
 * is absent.
 */
function memberNamesOf(headers: HeaderMap): readonly (keyof RoutingMembers)[] {
  const isEnabled = (value: string | undefined): boolean => value?.trim().toLowerCase() === 'enabled';
  const names: (keyof RoutingMembers)[] = [];
  if (isEnabled(firstValue(headers['x-service-experimental-metadata']))) names.push('service_metadata');
  const compatible =
    firstValue(headers['x-openrouter-metadata']) ?? firstValue(headers['x-openrouter-experimental-metadata']);
  if (isEnabled(compatible)) names.push('openrouter_metadata');
  return names;
}

function toRoutingMetadata(
  plan: CallPlan,
  pipeline: Pipeline['stages'],
  { attempts, hasFailed, generationMs }: RoutingOutcome,
): RoutingMetadata {
  const last = attempts.at(-1);
  const selected = hasFailed || last?.error !== null ? undefined : last.endpoint;
  return {
    requested: plan.requested,
    strategy: plan.strategy,
    region: plan.region,
    summary: `available=${plan.endpoints.length}, selected=${selected?.provider.name ?? 'none'}`,
    // Calls that run tools call the model again after the first completion; that is no further attempt.
    attempt: attempts.findIndex(({ error }) => error === null) + 1 || attempts.length,
    is_byok: selected?.provider.byok ?? false,
    endpoints: {
      total: plan.endpoints.length + plan.excluded.length,
      available: plan.endpoints.map((endpoint) => ({
        provider: endpoint.provider.name,
        model: endpoint.modelId,
        selected: endpoint === selected,
      })),
    },
    ...(attempts.length > 0 && {
      attempts: attempts.map(({ endpoint, error, brokeOff }) => ({
        provider: endpoint.provider.name,
        model: endpoint.modelId,
        status: error === null ? 200 : (error.upstreamStatus ?? error.status),
        ...(brokeOff !== undefined && { broke_off_after: brokeOff.afterCharacters }),
      })),
    }),
    ...(plan.unknownProviders.length > 0 && { unknown_providers: [...plan.unknownProviders] }),
    ...(plan.ruled !== undefined && toRuleMembers(plan.ruled)),
    ...(generationMs != null && { generation_time: generationMs }),
    ...(pipeline.length > 0 && { pipeline: [...pipeline] }),
  };
}

/** The members that name the rule of a plan. */
export const toRuleMembers = ({
  rule,
  requested,
}: RuledCall): Pick<RoutingMetadata, 'routing_rule' | 'requested_model'> => ({
  routing_rule: rule,
  ...(requested !== null && { requested_model: requested }),
});

/**
 * Throws the refusal of a call that is blocked or has no endpoint left, with the routing report where the caller
 * requested it.
 */
export function refuseUnplanned(plan: CallPlan, refusal: GatewayError | null, report: RoutingReport | null): void {
  const error = refusal ?? (plan.endpoints.length === 0 ? noEndpointLeft(plan) : null);
  if (error !== null) throw withReport(error, report, { attempts: [], hasFailed: true });
}
