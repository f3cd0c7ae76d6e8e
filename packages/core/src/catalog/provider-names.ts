import type { Preset } from '../providers/provider-preset.ts';
import type { Provider } from '../providers/provider.ts';

/** What a preset is called. */
export type PresetNames = Pick<Preset, 'name' | 'slug'>;

/**
 * The names of providers that lists of them may use: slugs, display names and presets, in any case, each with the tag of
 * an endpoint behind it or not (docs/routing.md, "Names of providers").
 */
export interface ProviderNames {
  /**
   * Replaces each name by the slugs and tags that it stands for, as endpoints have them. A name that stands for nothing
   * stays, so that a list of such names never becomes an empty one, which would mean no rule.
   */
  toTags(names: readonly string[]): readonly string[];
  /** Whether a name is that of a configured provider or of a preset, or of one of its endpoints. */
  isKnown(name: string): boolean;
  /** Whether no configured provider has a name, with the tag of an endpoint behind it or not: a gateway upstream may. */
  isForeign(name: string): boolean;
  /** Whether a configured provider is a gateway, which gets foreign names. */
  readonly hasGateway: boolean;
  /** Every name as it is to be written, slugs before others. */
  list(): readonly string[];
}

interface NamedProvider extends Pick<Provider, 'slug' | 'name' | 'preset'> {
  readonly gateway?: unknown;
}

/** Creates the names of these providers, of their endpoints' tags (`deepinfra/turbo`), and of the presets. */
export function createProviderNames(
  providers: readonly NamedProvider[],
  tags: readonly string[],
  presets: Readonly<Record<string, PresetNames>>,
): ProviderNames {
  const exact = new Set([...providers.map(({ slug }) => slug), ...tags]);
  const meant = indexNames(providers, tags, presets);
  const ofPresets = Object.entries(presets).flatMap(([preset, facts]) => namesOfPreset(preset, facts));
  const known = new Set(ofPresets.map(fold));
  const tagsOf = (name: string): readonly string[] => (exact.has(name) ? [name] : (meant.get(fold(name)) ?? []));
  const isHere = (name: string): boolean => exact.has(name) || meant.has(fold(name));
  return {
    toTags: (names) => [...new Set(names.flatMap((name) => (tagsOf(name).length > 0 ? tagsOf(name) : [name])))],
    isKnown(name) {
      if (tagsOf(name).length > 0 || known.has(fold(name))) return true;
      // The endpoints of a provider that is not configured are not known, so any tag may be one of them.
      const base = fold(name.split('/')[0] ?? '');
      return known.has(base) && !meant.has(base) && name.includes('/');
    },
    isForeign: (name) => !isHere(name) && !isHere(name.split('/', 1)[0] ?? name),
    hasGateway: providers.some(({ gateway }) => gateway !== undefined),
    list: () => [...new Set([...exact, ...providers.map(({ name }) => name), ...ofPresets])],
  };
}

/** The slugs and tags that each name in small letters stands for. */
function indexNames(
  providers: readonly NamedProvider[],
  tags: readonly string[],
  presets: Readonly<Record<string, PresetNames>>,
): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  const add = (name: string, tag: string): void => {
    const known = index.get(fold(name));
    if (known === undefined) index.set(fold(name), [tag]);
    else if (!known.includes(tag)) known.push(tag);
  };
  for (const { slug, name, preset } of providers) {
    const facts = preset == null ? undefined : presets[preset];
    const names = [slug, name, ...(preset == null || facts === undefined ? [] : namesOfPreset(preset, facts))];
    const suffixes = tags.flatMap((tag) => (tag.startsWith(`${slug}/`) ? [tag.slice(slug.length)] : []));
    for (const known of names) {
      add(known, slug);
      for (const suffix of suffixes) add(known + suffix, slug + suffix);
    }
  }
  return index;
}

const namesOfPreset = (preset: string, { slug, name }: PresetNames): string[] => [slug ?? preset, preset, name];

const fold = (name: string): string => name.trim().toLowerCase();
