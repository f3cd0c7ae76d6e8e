import type { Settings, ShownSettings } from '../wire/account.ts';
import type { AccountOptions, LiveAccount } from './account.ts';

/** Converts the account's settings to their form on the wire. */
export function toSettings(account: LiveAccount): Settings {
  const { defaultModel, creditsUsd, writtenProviders: providers, privacy, routing, rules } = account;
  return {
    default_model: defaultModel ?? null,
    providers: { only: [...(providers?.only ?? [])], ignore: [...(providers?.ignore ?? [])] },
    privacy: { zdr: privacy?.zdr ?? false, allow_training: privacy?.allowTraining ?? true },
    routing: {
      order: [...(routing?.order ?? [])],
      sort: routing?.sort ?? null,
      allow_fallbacks: routing?.allowFallbacks ?? true,
      continue_broken_streams: routing?.continueBrokenStreams ?? false,
      max_price: { ...routing?.maxPrice },
      rules: [...(rules ?? [])],
    },
    credits_usd: creditsUsd ?? null,
  };
}

/** The same with what the configuration says. */
export const toShownSettings = (account: LiveAccount): ShownSettings => ({
  ...toSettings(account),
  configured: [...configuredPaths(account.configured)],
});

/** The paths of the settings that the configuration says. Null is no limit, and none to be said. */
function configuredPaths({ defaultModel, creditsUsd, providers, privacy, routing }: AccountOptions = {}): string[] {
  const said: Readonly<Record<string, unknown>> = {
    default_model: defaultModel,
    'providers.only': providers?.only,
    'providers.ignore': providers?.ignore,
    'privacy.zdr': privacy?.zdr,
    'privacy.allow_training': privacy?.allowTraining,
    'routing.order': routing?.order,
    'routing.sort': routing?.sort,
    'routing.allow_fallbacks': routing?.allowFallbacks,
    'routing.continue_broken_streams': routing?.continueBrokenStreams,
    'routing.max_price': routing?.maxPrice,
    'routing.rules': routing?.rules,
    credits_usd: creditsUsd,
  };
  return Object.keys(said).filter((path) => said[path] !== undefined && said[path] !== null);
}
