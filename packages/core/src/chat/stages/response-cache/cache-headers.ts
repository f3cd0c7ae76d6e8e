import type { HeaderDescriptions } from '../../../http/operation.ts';

/** Constant names: for the look-up in every request they must be the same strings as the keys of the headers. */
export const FAMILIES = ['x-service-cache', 'x-openrouter-cache'].map((family) => ({
  family,
  clear: `${family}-clear`,
  ttl: `${family}-ttl`,
}));

/** The headers by which a request asks for the cache. */
export const CACHE_HEADERS: readonly string[] = FAMILIES.flatMap(({ family, clear }) => [family, clear]);

const describeFamilies = (descriptions: Readonly<Record<string, string>>): HeaderDescriptions =>
  Object.fromEntries(
    FAMILIES.flatMap(({ family }) =>
      Object.entries(descriptions).map(([suffix, description]) => [family + suffix, description]),
    ),
  );

/** What a request says to the cache, for the API document (wire.md 21). */
export const CACHE_REQUEST_HEADERS: HeaderDescriptions = describeFamilies({
  '': '`true`: the response may be a stored one, and is stored',
  '-clear': '`true`: a stored response is forgotten first',
  '-ttl': 'Seconds for which the response is kept',
});

/** What the cache did, under the names that the request used, for the API document. */
export const CACHE_RESPONSE_HEADERS: HeaderDescriptions = describeFamilies({
  '-status': '`HIT` or `MISS`',
  '-ttl': 'Seconds for which the response is kept',
  '-age': 'Seconds since a stored response was made',
  '-source-id': 'Id of the generation that made a stored response',
});
