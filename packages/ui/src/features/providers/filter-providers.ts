import type { ProviderRow } from './provider-queries.ts';
import { toRowStatus } from './provider-states.tsx';

/** The providers with a text in their name, slug or host, and with a status. */
export function filterProviders<Row extends ProviderRow>(
  providers: readonly Row[],
  { q, status }: { readonly q?: string; readonly status?: string },
): readonly Row[] {
  const wanted = q?.toLowerCase();
  return providers.filter(
    ({ slug, name, host, state, setup, past }) =>
      (status === undefined || toRowStatus({ state, setup, past }) === status) &&
      (wanted === undefined || [slug, name, host ?? ''].some((text) => text.toLowerCase().includes(wanted))),
  );
}
