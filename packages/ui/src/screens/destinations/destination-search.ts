export interface DestinationSearch {
  /** The id of the destination beside the list. */
  readonly open?: string;
  readonly tab?: string;
}

/** Reads what an address says; what makes no sense is left out. */
export function toDestinationSearch({ open, tab }: Record<string, unknown>): DestinationSearch {
  return {
    ...(typeof open === 'string' && open !== '' && { open }),
    ...(typeof tab === 'string' && tab !== '' && { tab }),
  };
}
