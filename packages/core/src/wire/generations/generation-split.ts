/** The things by which a histogram of generations can be split. */
export const GENERATION_SPLITS = ['model', 'provider', 'key', 'member', 'app', 'session'] as const;

export type GenerationSplit = (typeof GENERATION_SPLITS)[number];

/** Stands in filters for generations that have no such thing: calls without a provider, a member, an app or a session. */
export const NO_VALUE = 'none';
