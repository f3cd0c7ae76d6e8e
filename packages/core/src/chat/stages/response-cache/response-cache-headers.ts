import { GatewayError } from '../../../foundation/errors.ts';
import { type HeaderMap, firstValue } from '../../../http/request.ts';

/** The caller's options for the response cache (wire.md 21). */
export interface CacheWish {
  readonly isOn: boolean;
  readonly isCleared: boolean;
  readonly ttlSeconds: number;
  /** The families of headers in the request, which the response uses too: `x-service-cache`. */
  readonly families: readonly string[];
}

/** Constant names: for the look-up in every request they must be the same strings as the keys of the headers. */
const FAMILIES = ['x-service-cache', 'x-openrouter-cache'].map((family) => ({
  family,
  clear: `${family}-clear`,
  ttl: `${family}-ttl`,
}));
const DEFAULT_TTL_SECONDS = 300;
const MAX_TTL_SECONDS = 86_400;

/**
 * Reads the headers; null when the cache is not requested. Throws `invalid_request` for a lifetime that is no number.
 */
export function readCacheHeaders(headers: HeaderMap): CacheWish | null {
  const used = FAMILIES.filter(({ family, clear }) => isTrue(headers[family]) || isTrue(headers[clear]));
  if (used.length === 0) return null;
  return {
    isOn: used.some(({ family }) => isTrue(headers[family])),
    isCleared: used.some(({ clear }) => isTrue(headers[clear])),
    ttlSeconds: readTtl(headers),
    families: used.map(({ family }) => family),
  };
}

export interface CacheFacts {
  readonly status: 'HIT' | 'MISS';
  readonly ttlSeconds: number;
  readonly ageSeconds?: number | undefined;
  readonly sourceId?: string | undefined;
}

/** Writes down what the cache did, under the names that the caller used. */
export function setCacheHeaders(headers: Record<string, string>, { families }: CacheWish, facts: CacheFacts): void {
  for (const family of families) {
    headers[`${family}-status`] = facts.status;
    headers[`${family}-ttl`] = String(facts.ttlSeconds);
    if (facts.ageSeconds !== undefined) headers[`${family}-age`] = String(facts.ageSeconds);
    if (facts.sourceId !== undefined) headers[`${family}-source-id`] = facts.sourceId;
  }
}

function isTrue(value: HeaderMap[string]): boolean {
  return firstValue(value)?.trim().toLowerCase() === 'true';
}

function readTtl(headers: HeaderMap): number {
  for (const { ttl } of FAMILIES) {
    const text = firstValue(headers[ttl])?.trim();
    if (text === undefined) continue;
    if (!/^-?\d{1,12}$/.test(text)) {
      throw new GatewayError('invalid_request', `${ttl}: must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`);
    }
    return Math.min(Math.max(Number(text), 1), MAX_TTL_SECONDS);
  }
  return DEFAULT_TTL_SECONDS;
}
