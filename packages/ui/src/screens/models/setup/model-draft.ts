import type { ConfiguredModel } from '@model-gateway/core/wire';

import { toPricePerMillion, toPricePerToken } from './per-million.ts';

export type EndpointSetup = NonNullable<ConfiguredModel['endpoints']>[number];

/** An endpoint as it is typed; prices are USD a million tokens. */
export interface EndpointDraft {
  /** Tells rows apart while they are edited. */
  readonly key: number;
  readonly provider: string;
  readonly providerModel: string;
  readonly prompt: string;
  readonly completion: string;
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
  return { id, name: '', aliases: '', context: '', endpoints: [first], rest: {} };
}

export const emptyEndpoint = (key: number, provider: string): EndpointDraft => ({
  key,
  provider,
  providerModel: '',
  prompt: '',
  completion: '',
  rest: {},
});

export function toModelDraft({ id, name, aliases, context_length, endpoints, ...rest }: ConfiguredModel): ModelDraft {
  return {
    id,
    name: name ?? '',
    aliases: aliases?.join(', ') ?? '',
    context: context_length?.toString() ?? '',
    endpoints: (endpoints ?? []).map(({ provider, providerModel, ...other }, key) => ({
      key,
      provider,
      providerModel: providerModel ?? '',
      prompt: toPricePerMillion(other.pricing?.prompt ?? '') ?? '',
      completion: toPricePerMillion(other.pricing?.completion ?? '') ?? '',
      rest: other,
    })),
    rest,
  };
}

/** The definition that is sent. What cannot be read is sent as it was typed, for the gateway to say what is wrong. */
export function toDefinition({ id, name, aliases, context, endpoints, rest }: ModelDraft): ConfiguredModel {
  const words = aliases.split(/[\s,]+/).filter((word) => word !== '');
  return {
    ...rest,
    id: id.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(words.length > 0 && { aliases: words }),
    ...(context.trim() !== '' && { context_length: Number(context) }),
    ...(endpoints.length > 0 && { endpoints: endpoints.map(toEndpoint) }),
  };
}

function toEndpoint({ provider, providerModel, prompt, completion, rest }: EndpointDraft): EndpointSetup {
  const { prompt: _prompt, completion: _completion, ...others } = rest.pricing ?? {};
  const pricing = { ...others, ...toPrice('prompt', prompt), ...toPrice('completion', completion) };
  const { pricing: _pricing, ...kept } = rest;
  return {
    ...kept,
    provider,
    ...(providerModel.trim() !== '' && { providerModel: providerModel.trim() }),
    ...(Object.keys(pricing).length > 0 && { pricing }),
  };
}

function toPrice(unit: 'prompt' | 'completion', typed: string): Record<string, string> {
  return typed.trim() === '' ? {} : { [unit]: toPricePerToken(typed) ?? typed };
}
