import type { SettingsRepository } from '../stores/store.ts';
import type { SettingsChange } from '../wire/management/settings.ts';

/** The account as routing reads it. */
export interface LiveAccount extends AccountOptions {
  /** The lists of providers as they were written; those in `providers` are slugs and tags. */
  readonly writtenProviders: AccountOptions['providers'];
}

/**
 * Reads the current settings of the account: those set through the API, else those of the configuration. `toTags`
 * replaces names of providers by slugs and tags, once for each change.
 */
export function createLiveAccount(
  configured: AccountOptions,
  settings: SettingsRepository,
  toTags: (names: readonly string[]) => readonly string[],
): () => LiveAccount {
  const toLive = (account: AccountOptions): LiveAccount => {
    const { only = [], ignore = [] } = account.providers ?? {};
    return {
      ...account,
      providers: { only: toTags(only), ignore: toTags(ignore) },
      writtenProviders: { only, ignore },
    };
  };
  let known: SettingsChange | undefined;
  let account = toLive(configured);
  return () => {
    const present = settings.get();
    if (present !== known) {
      account = toLive(toAccount(configured, present));
      known = present;
    }
    return account;
  };
}

function toAccount(configured: AccountOptions, settings: SettingsChange): AccountOptions {
  const { providers, privacy } = configured;
  return {
    defaultModel: settings.default_model === undefined ? configured.defaultModel : settings.default_model,
    creditsUsd: settings.credits_usd === undefined ? configured.creditsUsd : settings.credits_usd,
    providers: {
      only: settings.providers?.only ?? providers?.only,
      ignore: settings.providers?.ignore ?? providers?.ignore,
    },
    privacy: {
      zdr: settings.privacy?.zdr ?? privacy?.zdr,
      allowTraining: settings.privacy?.allow_training ?? privacy?.allowTraining,
    },
  };
}

/** Settings of the whole account; `/admin/v1/settings` overrides them. */
export interface AccountOptions {
  /** Used when a request names no model. */
  readonly defaultModel?: string | null | undefined;
  /** USD that all calls together may cost; null means no limit. */
  readonly creditsUsd?: number | null | undefined;
  readonly providers?: {
    readonly only?: readonly string[] | undefined;
    readonly ignore?: readonly string[] | undefined;
  };
  readonly privacy?: { readonly zdr?: boolean | undefined; readonly allowTraining?: boolean | undefined };
}

const VERSION_AT = 14;
const DEFAULT_VERSION = '8';

/**
 * The id of the guardrail that applies to everything in a workspace (wire.md 16.2): the workspace's own, with the
 * version of the UUID changed. Random ids are of version 4, so it is unique.
 */
export function defaultGuardrailIdOf(workspaceId: string): string {
  return withVersion(workspaceId, DEFAULT_VERSION);
}

/** The workspace that a guardrail is the default of; undefined when it is none's. */
export function workspaceIdOfDefault(guardrailId: string): string | undefined {
  return guardrailId[VERSION_AT] === DEFAULT_VERSION ? withVersion(guardrailId, '4') : undefined;
}

/** The name of a default guardrail, which cannot be changed. */
export function defaultGuardrailName(workspaceId: string): string {
  return `Workspace ${workspaceId} Default`;
}

function withVersion(uuid: string, version: string): string {
  return uuid.slice(0, VERSION_AT) + version + uuid.slice(VERSION_AT + 1);
}
