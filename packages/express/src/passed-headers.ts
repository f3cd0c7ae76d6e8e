/** Headers of a single connection, or ones that a server trusts. */
const OWN_TO_CONNECTION: ReadonlySet<string> = new Set([
  'forwarded',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'via',
  'x-real-ip',
]);

/** Headers that are meant for the host: sessions, and browser headers that a gateway may refuse. */
const OWN_TO_HOST: ReadonlySet<string> = new Set(['cookie', 'cookie2', 'origin']);

/** Other headers in which APIs expect keys. */
const KEY_HEADERS: ReadonlySet<string> = new Set(['api-key', 'x-api-key', 'x-goog-api-key']);

/** Whether a caller's header is sent to the upstream gateway. With a key of our own, no key of the caller is. */
export function isPassedOn(name: string, hasOwnKey: boolean): boolean {
  if (OWN_TO_CONNECTION.has(name) || OWN_TO_HOST.has(name)) return false;
  if (name.startsWith('x-forwarded-') || name.startsWith('sec-')) return false;
  return !(hasOwnKey && KEY_HEADERS.has(name));
}

/**
 * Headers that a client of an API needs. All others concern upstream's origin (cookies, CORS, transport security,
 * content policy) and would apply to the host's here.
 */
const PASSED_BACK: ReadonlySet<string> = new Set([
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'retry-after-ms',
  'transfer-encoding',
  'vary',
]);

const NOT_PASSED_BACK: ReadonlySet<string> = new Set(['x-frame-options', 'x-powered-by', 'x-xss-protection']);

/** Whether a header of the upstream gateway's response is sent to the caller. */
export function isPassedBack(name: string): boolean {
  return PASSED_BACK.has(name) || (name.startsWith('x-') && !NOT_PASSED_BACK.has(name));
}
