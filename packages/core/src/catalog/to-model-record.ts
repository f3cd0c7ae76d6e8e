import { CALL_KINDS, kindOfOutput } from '../wire/call-kinds.ts';
import type { EndpointPricing } from '../wire/model-definition.ts';
import type { Pricing } from '../wire/model-facts.ts';
import type { Model, ModelEndpoint } from '../wire/models.ts';
import type { CatalogModel, Endpoint } from './catalog.ts';

/** The public wire's value for an unknown price. Zero would mean that the model is free (docs/decisions/0007). */
const UNKNOWN_PRICE = '-1';
const NO_CHARGE = '0';

/** A model as `GET /models` shows it. Prices and limits are those of the first endpoint, as on the public wire. */
export function toModelRecord(model: CatalogModel): Model {
  const { definition } = model;
  const first = model.endpoints[0];
  return {
    id: model.id,
    canonical_slug: definition.canonical_slug ?? model.id,
    name: definition.name ?? model.id,
    description: definition.description ?? '',
    created: definition.created ?? 0,
    context_length: definition.context_length ?? first?.contextLength ?? null,
    architecture: toArchitecture(model),
    pricing: toPricing(model, first?.pricing),
    top_provider: {
      is_moderated: false,
      context_length: first?.contextLength ?? null,
      max_completion_tokens: first?.maxCompletionTokens ?? null,
    },
    supported_parameters: supportedParametersOf(model),
    supported_voices: definition.supported_voices ?? null,
    default_parameters: definition.default_parameters ?? null,
    per_request_limits: definition.per_request_limits ?? null,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
    expiration_date: definition.expiration_date ?? null,
    knowledge_cutoff: definition.knowledge_cutoff ?? null,
    hugging_face_id: definition.hugging_face_id ?? null,
    ...(definition.reasoning && { reasoning: definition.reasoning }),
    ...toBenchmarks(definition.benchmarks),
  };
}

/** An endpoint as `GET /models/{author}/{slug}/endpoints` shows it. */
export function toEndpointRecord(model: CatalogModel, endpoint: Endpoint): ModelEndpoint {
  const modelName = model.definition.name ?? model.id;
  const takesToolChoice = endpoint.supportedParameters?.has('tool_choice') ?? false;
  return {
    name: `${endpoint.provider.name}: ${modelName}`,
    model_id: model.id,
    model_name: modelName,
    provider_name: endpoint.provider.name,
    tag: endpoint.tag,
    quantization: endpoint.quantization,
    // The official client requires a number here.
    context_length: endpoint.contextLength ?? 0,
    max_completion_tokens: endpoint.maxCompletionTokens,
    max_prompt_tokens: endpoint.maxPromptTokens,
    pricing: toPricing(model, endpoint.pricing),
    supported_parameters: [...(endpoint.supportedParameters ?? [])],
    supports_implicit_caching: endpoint.supportsImplicitCaching,
    supports_tool_choice: {
      auto: takesToolChoice,
      function: takesToolChoice,
      none: takesToolChoice,
      required: takesToolChoice,
    },
    status: 0,
    uptime_last_5m: null,
    uptime_last_30m: null,
    uptime_last_1d: null,
    latency_last_30m: null,
    throughput_last_30m: null,
  };
}

/** The kinds of input and output, and the words the wire has for them. */
export function toArchitecture({ definition }: CatalogModel): Model['architecture'] {
  const input = definition.architecture?.input_modalities ?? ['text'];
  const output = definition.architecture?.output_modalities ?? ['text'];
  return {
    input_modalities: input,
    output_modalities: output,
    modality: `${input.join('+')}->${output.join('+')}`,
    instruct_type: definition.architecture?.instruct_type ?? null,
    tokenizer: definition.architecture?.tokenizer ?? 'Other',
  };
}

function toBenchmarks(scores: CatalogModel['definition']['benchmarks']): Pick<Model, 'benchmarks'> {
  const { intelligence_index = null, coding_index = null, agentic_index = null } = scores ?? {};
  if (intelligence_index === null && coding_index === null && agentic_index === null) return {};
  return {
    benchmarks: { artificial_analysis: { intelligence_index, coding_index, agentic_index }, design_arena: [] },
  };
}

function supportedParametersOf(model: CatalogModel): string[] {
  return [...new Set(model.endpoints.flatMap((endpoint) => [...(endpoint.supportedParameters ?? [])]))];
}

/**
 * Where an endpoint has prices, a unit without one is not charged. Tokens are the exception: calls without a price for
 * them have an unknown cost, except where the model has no such tokens.
 */
function toPricing({ definition }: CatalogModel, pricing: EndpointPricing | undefined): Pricing {
  const known = Object.fromEntries(Object.entries(pricing ?? {}).filter(([, price]) => price !== undefined));
  const { tokens } = CALL_KINDS[kindOfOutput(definition.architecture?.output_modalities ?? [])];
  const has = (token: 'prompt' | 'completion'): boolean => (tokens as readonly string[]).includes(token);
  const unstated = Object.keys(known).length > 0 ? NO_CHARGE : UNKNOWN_PRICE;
  return {
    prompt: has('prompt') ? UNKNOWN_PRICE : unstated,
    completion: has('completion') ? UNKNOWN_PRICE : unstated,
    request: unstated,
    image: unstated,
    ...known,
    discount: 0,
  };
}
