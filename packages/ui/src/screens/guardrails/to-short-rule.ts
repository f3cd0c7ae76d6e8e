const MAX_SHOWN = 32;

/** The label of a filter as it fits into a badge. */
export const toShortRule = (rule: string): string => (rule.length > MAX_SHOWN ? `${rule.slice(0, MAX_SHOWN)}…` : rule);
