import { GatewayError } from '../errors.ts';
import { type HeaderMap, headerOf } from '../request.ts';

/** What a caller asks of the response cache (api reference 21). */
export interface CacheWish {
  readonly isOn: boolean;
  readonly isCleared: boolean;
  readonly ttlSeconds: number;
  /** The families of headers that it used, and is answered in: `x-service-cache`. */
  readonly families: readonly string[];
}

const FAMILIES = ['x-service-cache', 'x-openrouter-cache'] as const;
const DEFAULT_TTL_SECONDS = 300;
const MAX_TTL_SECONDS = 86_400;

/** Reads the headers; null when the cache is not wanted. Throws `invalid_request` for a lifetime that is no number. */
export function readCacheHeaders(headers: HeaderMap): CacheWish | null {
  const families = FAMILIES.filter((family) => isTrue(headers, family) || isTrue(headers, `${family}-clear`));
  if (families.length === 0) return null;
  return {
    isOn: families.some((family) => isTrue(headers, family)),
    isCleared: families.some((family) => isTrue(headers, `${family}-clear`)),
    ttlSeconds: readTtl(headers),
    families,
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

function isTrue(headers: HeaderMap, name: string): boolean {
  return headerOf(headers, name)?.trim().toLowerCase() === 'true';
}

function readTtl(headers: HeaderMap): number {
  for (const family of FAMILIES) {
    const name = `${family}-ttl`;
    const text = headerOf(headers, name)?.trim();
    if (text === undefined) continue;
    if (!/^-?\d{1,12}$/.test(text)) {
      throw new GatewayError('invalid_request', `${name}: must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`);
    }
    return Math.min(Math.max(Number(text), 1), MAX_TTL_SECONDS);
  }
  return DEFAULT_TTL_SECONDS;
}
