import {
  type ChatCall,
  type EndpointDefinition,
  type ErrorCode,
  GatewayError,
  type GatewayOptions,
  type GatewayResponse,
  type ModelDefinition,
  type Provider,
} from '@model-gateway/core';

import { type CoreGateway, createCoreGateway, jsonOf } from './core-gateway.ts';

/** How a provider responds to a call: well, with this error, or as the test says. */
export type Behaviour = 'complete' | ErrorCode | ((call: ChatCall) => Promise<void> | void);

export interface RoutedProvider extends Partial<
  Pick<Provider, 'name' | 'preset' | 'dataPolicy' | 'region' | 'byok' | 'gateway'>
> {
  readonly behaviour?: Behaviour;
}

/** A gateway in virtual time over providers that note who was asked. */
export interface RoutedGateway extends CoreGateway {
  /** `slug model` of each call, oldest first. */
  readonly calls: string[];
  readonly sent: ChatCall[];
  /** Changes how a provider responds from now on. */
  behave(slug: string, behaviour: Behaviour): void;
  /** Sends a request whose response names its provider; load is balanced unless the body says otherwise. */
  ask(body?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<GatewayResponse>;
  /** The slugs that were asked for one such request. */
  askedFor(body?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<string[]>;
}

/** Sets it up. Where a response comes, it is the provider's slug. */
export function createRoutedGateway(
  providers: Readonly<Record<string, RoutedProvider>>,
  models: readonly ModelDefinition[],
  options: Partial<Omit<GatewayOptions, 'store' | 'platform' | 'providers' | 'models'>> = {},
): RoutedGateway {
  const calls: string[] = [];
  const sent: ChatCall[] = [];
  const behaviours = new Map(Object.entries(providers).map(([slug, { behaviour }]) => [slug, behaviour ?? 'complete']));
  const toProvider = ([slug, { behaviour: _, ...facts }]: [string, RoutedProvider]): Provider => ({
    slug,
    name: slug.toUpperCase(),
    dataPolicy: { training: null, retainsPrompts: null },
    ...facts,
    async *chat(call) {
      calls.push(`${slug} ${call.providerModel}`);
      sent.push(call);
      const behaviour = behaviours.get(slug);
      if (typeof behaviour === 'function') await behaviour(call);
      else if (behaviour !== undefined && behaviour !== 'complete') {
        throw new GatewayError(behaviour, `${slug} failed`, { upstreamStatus: 599 });
      }
      yield [
        {
          choices: [{ index: 0, delta: { content: slug }, finish_reason: 'stop', native_finish_reason: 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        },
      ];
    },
  });
  const core = createCoreGateway(Object.entries(providers).map(toProvider), { models, ...options });
  const ask: RoutedGateway['ask'] = (body = {}, headers = {}) =>
    core.chat(
      { model: models[0]?.id, provider: {}, ...body },
      { headers: { authorization: 'Bearer sk-test-api', ...headers } },
    );
  return {
    ...core,
    calls,
    sent,
    behave: (slug, behaviour) => void behaviours.set(slug, behaviour),
    ask,
    async askedFor(body, headers) {
      const before = calls.length;
      await ask(body, headers);
      return calls.slice(before).map((call) => call.split(' ')[0] as string);
    },
  };
}

/** Endpoints at these dollars a million tokens, cheapest first where the numbers rise. */
export function endpointsAt(
  prices: Readonly<Record<string, number>>,
  more: Partial<EndpointDefinition> = {},
): EndpointDefinition[] {
  return Object.entries(prices).map(([provider, usd]) => ({
    provider,
    providerModel: 'm',
    pricing: { prompt: (usd / 1e6).toFixed(9), completion: (usd / 1e6).toFixed(9) },
    ...more,
  }));
}

/** The provider that responded. */
export const responderOf = (response: GatewayResponse): unknown =>
  (jsonOf(response) as { choices?: { message: { content: string } }[] }).choices?.[0]?.message.content;
