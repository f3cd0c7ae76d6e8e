import type { ProviderList, Settings } from '@model-gateway/core/wire';

/** A provider, or a name in a list of them, as a row of the form shows it. */
export type NamedProvider = Pick<ProviderList['data'][number], 'slug' | 'name'>;

/** The providers, and what else the lists name: display names, presets, and providers that are no longer configured. */
export function withListedNames(
  providers: readonly NamedProvider[],
  settings: readonly Pick<Settings, 'providers'>[],
): readonly NamedProvider[] {
  const listed = settings.flatMap(({ providers: { only, ignore } }) => [...only, ...ignore]);
  const others = new Set(listed.filter((name) => !providers.some(({ slug }) => slug === name)));
  return [...providers, ...[...others].map((name) => ({ slug: name, name }))];
}
