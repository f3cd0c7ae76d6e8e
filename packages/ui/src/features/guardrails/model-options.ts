import type { Model } from '@model-gateway/core/wire';

import type { Provider } from '../../api/types.ts';
import { formatCompact } from '../../format/quantity.ts';
import type { SelectOption } from '../../parts/controls/multi-select-options.ts';
import { formatTokenPrice } from '../models/model-facts.ts';

/** Models by their canonical slugs, as which guardrails keep them, with prices for a million tokens and context. */
export function toModelOptions(models: readonly Model[]): readonly SelectOption[] {
  const byValue = new Map<string, SelectOption>();
  for (const { id, name, canonical_slug: slug, pricing, context_length: context } of models) {
    const value = slug ?? id;
    if (byValue.has(value)) continue;
    const [input, output] = [formatTokenPrice(pricing, 'prompt'), formatTokenPrice(pricing, 'completion')];
    const price = input === output ? input : `${input} / ${output}`;
    const note = context === null ? price : `${price} · ${formatCompact(context)}`;
    byValue.set(value, { value, label: id, note, words: `${name} ${id}` });
  }
  return [...byValue.values()];
}

export const toProviderOptions = (providers: readonly Pick<Provider, 'slug' | 'name'>[]): readonly SelectOption[] =>
  providers.map(({ slug, name }) => ({ value: slug, label: name, note: slug, words: slug }));

/** The values of options for what a guardrail has, which may name models by id and providers by name. */
export function toOptionValues(list: readonly string[], options: readonly SelectOption[]): readonly string[] {
  const values = list.map((written) => {
    const wanted = written.toLowerCase();
    const named = options.find(({ value, label }) => value === written || label.toLowerCase() === wanted);
    return named?.value ?? written;
  });
  return [...new Set(values)];
}
