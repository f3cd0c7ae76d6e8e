import type { Settings } from '../wire/management/settings.ts';
import type { LiveAccount } from './account.ts';

/** Converts the account's settings to their form on the wire. */
export function toSettings({ defaultModel, creditsUsd, writtenProviders: providers, privacy }: LiveAccount): Settings {
  return {
    default_model: defaultModel ?? null,
    providers: { only: [...(providers?.only ?? [])], ignore: [...(providers?.ignore ?? [])] },
    privacy: { zdr: privacy?.zdr ?? false, allow_training: privacy?.allowTraining ?? true },
    credits_usd: creditsUsd ?? null,
  };
}
