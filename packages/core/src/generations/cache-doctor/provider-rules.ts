import type { CachedPrompt, Wire } from './prompt-segments.ts';

/**
 * What providers say of their caches, in one place, with the source. Providers change it: these are assumptions of the
 * report, not of calls.
 */
interface CacheRules {
  /** Tokens below which nothing is cached, by the beginning of the model's name; the first that matches. */
  readonly minimum: readonly (readonly [model: RegExp, tokens: number])[];
  /** Cached tokens are counted in steps of so many. */
  readonly step: number;
  /** Milliseconds that a prompt stays without being used, unless a mark says otherwise. */
  readonly restMs: number;
  /** Whether the prompt is cached only up to marks of the caller. */
  readonly byMarks: boolean;
  /** Where this is said. */
  readonly source: string;
}

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

const OPENAI: CacheRules = {
  minimum: [[/^/, 1024]],
  step: 128,
  // Said to be 5 to 10 minutes. A call that missed after 5 may have come too late.
  restMs: 5 * MINUTE_MS,
  byMarks: false,
  source: 'https://platform.openai.com/docs/guides/prompt-caching',
};

export const CACHE_RULES: Readonly<Record<Wire, CacheRules>> = {
  openai: OPENAI,
  'openai-responses': OPENAI,
  anthropic: {
    minimum: [
      // Those after Opus 4.6 are taken to be like it.
      [/opus-4[-.][5-9]|haiku-4[-.]5/, 4096],
      [/sonnet-4[-.]6/, 2048],
      [/haiku-3|3-5-haiku|3-haiku/, 2048],
      [/^/, 1024],
    ],
    step: 1,
    restMs: 5 * MINUTE_MS,
    byMarks: true,
    source: 'https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching',
  },
  google: {
    minimum: [
      [/2\.5/, 2048],
      [/^/, 4096],
    ],
    step: 1,
    // Not said for implicit caches: assumed to be as elsewhere.
    restMs: 5 * MINUTE_MS,
    byMarks: false,
    source: 'https://ai.google.dev/gemini-api/docs/caching',
  },
};

/** Tokens below which the provider caches nothing of this prompt. */
export function minimumTokensOf({ wire, model }: Pick<CachedPrompt, 'wire' | 'model'>): number {
  return CACHE_RULES[wire].minimum.find(([name]) => name.test(model))?.[1] ?? 0;
}

/** How long the provider keeps this prompt, in milliseconds, from its last use. */
export function keptMsOf({ wire, segments, retention }: CachedPrompt): number {
  if (retention === '24h') return 24 * HOUR_MS;
  const mark = segments.findLast((segment) => segment.mark !== null)?.mark;
  return mark === '1h' ? HOUR_MS : CACHE_RULES[wire].restMs;
}

/** The tokens of a prefix that the provider can read, which counts them in steps. */
export const toSteps = (tokens: number, wire: Wire): number => tokens - (tokens % CACHE_RULES[wire].step);
