export interface ProviderSearch {
  /** Part of a name, slug or host. */
  readonly q?: string;
  readonly status?: string;
  /** The slug of the provider beside the list. */
  readonly open?: string;
}

/** Reads what an address says; what makes no sense is left out. */
export function toProviderSearch(search: Record<string, unknown>): ProviderSearch {
  const read = (name: keyof ProviderSearch): ProviderSearch => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  return { ...read('q'), ...read('status'), ...read('open') };
}
