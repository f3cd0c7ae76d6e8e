import type { ConfiguredModel } from '@model-gateway/core/wire';

import { toPricing, toTypedPrices, type TypedPrices } from './price-units.ts';

export type EndpointSetup = NonNullable<ConfiguredModel['endpoints']>[number];

/** An endpoint as it is typed: empty is what is not given. */
export interface EndpointDraft {
  /** Tells rows apart while they are edited. */
  readonly key: number;
  readonly provider: string;
  readonly providerModel: string;
  readonly prices: TypedPrices;
  readonly context: string;
  readonly maxOutput: string;
  readonly maxPrompt: string;
  readonly minOutput: string;
  /** Separated by commas or spaces. */
  readonly parameters: string;
  readonly quantization: string;
  readonly region: string;
  readonly tag: string;
  /** What it has beside these, which stays. */
  readonly rest: Partial<EndpointSetup>;
}

/** A model as it is typed. */
export interface ModelDraft {
  readonly id: string;
  readonly name: string;
  /** Separated by commas or spaces. */
  readonly aliases: string;
  readonly context: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly endpoints: readonly EndpointDraft[];
  /** What it has beside these, which stays. */
  readonly rest: Partial<ConfiguredModel>;
}

/** A new model; an id as of the list of a provider leads to this provider. */
export function startModelDraft(id: string, slugs: readonly string[]): ModelDraft {
  const at = id.indexOf('/');
  const slug = slugs.find((candidate) => candidate === id.slice(0, at));
  const first = {
    ...emptyEndpoint(0, slug ?? slugs[0] ?? ''),
    ...(slug !== undefined && { providerModel: id.slice(at + 1) }),
  };
  return { id, name: '', aliases: '', context: '', inputs: [], outputs: [], endpoints: [first], rest: {} };
}

const EMPTY = {
  providerModel: '',
  prices: {},
  context: '',
  maxOutput: '',
  maxPrompt: '',
  minOutput: '',
  parameters: '',
  quantization: '',
  region: '',
  tag: '',
  rest: {},
} as const;

export const emptyEndpoint = (key: number, provider: string): EndpointDraft => ({ ...EMPTY, key, provider });

export function toModelDraft({
  id,
  name,
  aliases,
  context_length,
  architecture,
  endpoints,
  ...rest
}: ConfiguredModel): ModelDraft {
  const { input_modalities: inputs = [], output_modalities: outputs = [], ...form } = architecture ?? {};
  return {
    id,
    name: name ?? '',
    aliases: aliases?.join(', ') ?? '',
    context: context_length?.toString() ?? '',
    inputs,
    outputs,
    endpoints: (endpoints ?? []).map(toEndpointDraft),
    rest: { ...rest, ...(Object.keys(form).length > 0 && { architecture: form }) },
  };
}

function toEndpointDraft(endpoint: EndpointSetup, key: number): EndpointDraft {
  const { provider, providerModel, pricing, context_length, max_completion_tokens, max_prompt_tokens, ...others } =
    endpoint;
  const { minOutputTokens, supported_parameters, quantization, region, tag, ...rest } = others;
  const { overrides } = pricing ?? {};
  return {
    key,
    provider,
    providerModel: providerModel ?? '',
    prices: toTypedPrices(pricing),
    context: context_length?.toString() ?? '',
    maxOutput: max_completion_tokens?.toString() ?? '',
    maxPrompt: max_prompt_tokens?.toString() ?? '',
    minOutput: minOutputTokens?.toString() ?? '',
    parameters: supported_parameters?.join(', ') ?? '',
    quantization: quantization ?? '',
    region: region ?? '',
    tag: tag ?? '',
    rest: { ...rest, ...(overrides !== undefined && { pricing: { overrides } }) },
  };
}

/** The definition that is sent. What cannot be read is sent as it was typed, for the gateway to say what is wrong. */
export function toDefinition(draft: ModelDraft): ConfiguredModel {
  const { id, name, context, inputs, outputs, endpoints, rest } = draft;
  const aliases = toWords(draft.aliases);
  const architecture = {
    ...rest.architecture,
    ...(inputs.length > 0 && { input_modalities: [...inputs] }),
    ...(outputs.length > 0 && { output_modalities: [...outputs] }),
  };
  return {
    ...rest,
    id: id.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(aliases.length > 0 && { aliases }),
    ...(context.trim() !== '' && { context_length: Number(context) }),
    ...(Object.keys(architecture).length > 0 && { architecture }),
    ...(endpoints.length > 0 && { endpoints: endpoints.map(toEndpoint) }),
  };
}

function toEndpoint(draft: EndpointDraft): EndpointSetup {
  const { provider, providerModel, prices, rest } = draft;
  const pricing = { ...rest.pricing, ...toPricing(prices) };
  const parameters = toWords(draft.parameters);
  const { pricing: _pricing, ...kept } = rest;
  return {
    ...kept,
    provider,
    ...given('providerModel', providerModel),
    ...(Object.keys(pricing).length > 0 && { pricing }),
    ...givenCount('context_length', draft.context),
    ...givenCount('max_completion_tokens', draft.maxOutput),
    ...givenCount('max_prompt_tokens', draft.maxPrompt),
    ...givenCount('minOutputTokens', draft.minOutput),
    ...(parameters.length > 0 && { supported_parameters: parameters }),
    ...given('quantization', draft.quantization),
    ...given('region', draft.region),
    ...given('tag', draft.tag),
  };
}

const toWords = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const given = <Name extends string>(name: Name, text: string) =>
  (text.trim() === '' ? {} : { [name]: text.trim() }) as Partial<Record<Name, string>>;

const givenCount = <Name extends string>(name: Name, text: string) =>
  (text.trim() === '' ? {} : { [name]: Number(text) }) as Partial<Record<Name, number>>;
