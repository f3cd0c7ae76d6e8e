import type { CallPreferences } from '../../calls/call-kind.ts';
import type { ProviderNames } from '../../catalog/catalog.ts';
import type { ProviderPreferences } from '../../wire/routing.ts';

export interface NamedPreferences {
  /** The same preferences with slugs and tags in their lists of providers. */
  readonly preferences: CallPreferences;
  /** Names that neither a provider nor a preset has, as they were written. */
  readonly unknownProviders: readonly string[];
}

const LISTS = ['order', 'only', 'ignore'] as const;
const NONE: readonly string[] = [];
/** Limit of the unknown names that are reported: a request may have very many. */
const MAX_REPORTED = 100;

/**
 * Looks up the names of providers in a request, once for all endpoints. Unknown names are no error: clients of the
 * public API name providers that this gateway does not have.
 */
export function nameProviders(preferences: CallPreferences, names: ProviderNames): NamedPreferences {
  const written = preferences.provider;
  if (!LISTS.some((list) => written[list]?.length)) return { preferences, unknownProviders: NONE };
  const provider: ProviderPreferences = { ...written };
  const unknown = new Set<string>();
  for (const list of LISTS) {
    const given = written[list];
    if (!given?.length) continue;
    provider[list] = [...names.toTags(given)];
    for (const name of given) if (!names.isKnown(name)) unknown.add(name);
  }
  return { preferences: { ...preferences, provider }, unknownProviders: [...unknown].slice(0, MAX_REPORTED) };
}
