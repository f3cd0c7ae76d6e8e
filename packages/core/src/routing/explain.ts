import type { Attempt } from '../calls/attempt.ts';
import type { Pipeline, RuledCall } from '../calls/model-call.ts';
import { type Endpoint, priceOf } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type HeaderMap } from '../http/request.ts';
import type { RoutingExplanation } from '../wire/routing-explanation.ts';
import type { RoutingCandidate, RoutingDecision, RoutingMembers, RoutingMetadata } from '../wire/routing.ts';
import { type HealthBoard, toHealthFields } from './health/endpoint-health.ts';
import type { CallPlan } from './plan-call.ts';
import type { Exclusion } from './select-endpoints.ts';

type EndpointExplanation = RoutingExplanation['endpoints'][number];

/** How the keys of an endpoint stand whose provider has several. */
type KeysOf = (endpoint: Endpoint) => EndpointExplanation['keys'];

/** Reports for every endpoint of a plan at which rank it may be called, or which rule excludes it. */
export function explainPlan(plan: CallPlan, health: HealthBoard, keysOf: KeysOf): RoutingExplanation {
  return {
    requested: plan.requested,
    strategy: plan.strategy,
    ...(plan.ruled !== undefined && toRuleMembers(plan.ruled)),
    region: plan.region,
    models: [...plan.models],
    unknown_providers: [...plan.unknownProviders],
    endpoints: [
      ...plan.endpoints.map((endpoint, index) => ({
        ...explain(endpoint, index + 1, null, health),
        ...(endpoint.provider.keys !== undefined && { keys: keysOf(endpoint) }),
      })),
      ...plan.excluded.map((exclusion) => explain(exclusion.endpoint, null, exclusion, health)),
    ],
  };
}

function explain(
  endpoint: Endpoint,
  rank: number | null,
  exclusion: Exclusion | null,
  health: HealthBoard,
): EndpointExplanation {
  const price = priceOf(endpoint);
  const report = health.of(endpoint).report();
  return {
    provider: endpoint.tag,
    provider_name: endpoint.provider.name,
    model: endpoint.modelId,
    provider_model: endpoint.providerModel,
    ...(endpoint.ownKeyId !== undefined && { key: endpoint.keyName }),
    included: exclusion === null,
    rank,
    rule: exclusion?.rule ?? null,
    guardrail_id: exclusion?.guardrailId ?? null,
    price: {
      prompt: endpoint.pricing?.prompt ?? null,
      completion: endpoint.pricing?.completion ?? null,
      compared: Number.isFinite(price) ? price : null,
    },
    takes_prefill: endpoint.prefill !== null && !health.of(endpoint).hasRefusedPrefill(),
    health: { state: report.state, standing: report.state, ...toHealthFields(report) },
  };
}

interface RoutingOutcome {
  readonly attempts: readonly Pick<Attempt, 'endpoint' | 'error' | 'brokeOff' | 'again' | 'key'>[];
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
      attempts: attempts.map(({ endpoint, error, brokeOff, again, key }) => ({
        provider: endpoint.provider.name,
        model: endpoint.modelId,
        status: error === null ? 200 : (error.upstreamStatus ?? error.status),
        ...(brokeOff !== undefined && { broke_off_after: brokeOff.afterCharacters }),
        ...(again !== undefined && { again }),
        ...(key !== undefined && { key }),
      })),
    }),
    ...(plan.unknownProviders.length > 0 && { unknown_providers: [...plan.unknownProviders] }),
    ...(plan.ruled !== undefined && toRuleMembers(plan.ruled)),
    ...(generationMs != null && { generation_time: generationMs }),
    ...(pipeline.length > 0 && { pipeline: [...pipeline] }),
  };
}

/** The members that name the rule of a plan. */
const toRuleMembers = ({ rule, requested }: RuledCall): Pick<RoutingMetadata, 'routing_rule' | 'requested_model'> => ({
  routing_rule: rule,
  ...(requested !== null && { requested_model: requested }),
});

/** A router may have considered hundreds. */
const MAX_CANDIDATES = 50;

/**
 * Converts a plan to the form that is stored with its call: compact, and with the state of each endpoint now. Null
 * where there was nothing to decide: most calls are of a model with one endpoint, and their record names it.
 */
export function toRoutingDecision(plan: CallPlan, health: HealthBoard): RoutingDecision | null {
  const { requested, strategy, orderedBy, endpoints, excluded } = plan;
  if (endpoints.length + excluded.length < 2) return null;
  const candidates: RoutingCandidate[] = [];
  for (const endpoint of endpoints) {
    if (candidates.length === MAX_CANDIDATES) break;
    const candidate: RoutingCandidate = nameOf(endpoint);
    const state = health.of(endpoint).circuitState();
    if (state !== 'steady') {
      candidate.state = state;
      candidate.standing = state;
    }
    candidates.push(candidate);
  }
  for (const { endpoint, rule, guardrailId } of excluded) {
    if (candidates.length === MAX_CANDIDATES) break;
    const candidate: RoutingCandidate = { ...nameOf(endpoint), rule };
    if (guardrailId !== undefined) candidate.guardrail_id = guardrailId;
    candidates.push(candidate);
  }
  const decision: RoutingDecision = { requested, strategy, candidates };
  if (orderedBy !== null) decision.ordered_by = orderedBy;
  const more = endpoints.length + excluded.length - candidates.length;
  if (more > 0) decision.more = more;
  return decision;
}

const nameOf = ({ tag, provider, modelId }: Endpoint): RoutingCandidate => ({
  provider: tag,
  provider_name: provider.name,
  model: modelId,
});
