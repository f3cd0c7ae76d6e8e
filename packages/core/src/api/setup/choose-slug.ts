import { PRESETS } from '../../providers/provider-presets.ts';
import { refuseField } from '../../wire/fields.ts';
import type { ProviderSettings } from '../../wire/provider-setup.ts';

type Draft = Omit<ProviderSettings, 'slug'> & { readonly slug?: string | undefined };

/** The settings with the slug that they have by default, that of their preset; without one throws `invalid_request`. */
export function chooseSlug(draft: Draft, within = ''): ProviderSettings {
  const { preset = '' } = draft;
  const known = Object.hasOwn(PRESETS, preset) ? (PRESETS[preset]?.slug ?? preset) : undefined;
  const slug = draft.slug ?? known;
  if (slug === undefined) throw refuseField(`${within}slug`, 'is missing: choose a short name, e.g. "my-provider"');
  return { ...draft, slug };
}
