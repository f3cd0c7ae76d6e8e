import { readTexts } from '../../app/read-texts.ts';

const NAMES = [
  'callback_url',
  'code_challenge',
  'code_challenge_method',
  'key_label',
  'limit',
  'usage_limit_type',
] as const;

/** The address of the page, in the words of the public API. */
export type AuthSearch = { readonly [Name in (typeof NAMES)[number]]?: string };

export const toAuthSearch = (search: Record<string, unknown>): AuthSearch => readTexts(search, NAMES);

/** What an app asks for, as it is shown; null for what the gateway would refuse in any case. */
export interface AuthRequest {
  /** Where the code goes; null where the user hands it over. */
  readonly callback: { readonly url: string; readonly host: string; readonly isLocal: boolean } | null;
  readonly hasChallenge: boolean;
  readonly name: string;
  readonly limit: string;
  readonly reset: string;
}

/** The gateway is the judge of it all; this is so that nothing is asked that it will refuse. */
export function readAuthRequest(search: AuthSearch): AuthRequest | null {
  const hasChallenge = search.code_challenge !== undefined;
  const callback = search.callback_url === undefined ? null : readCallback(search.callback_url);
  if (callback === undefined || (callback === null && !hasChallenge)) return null;
  const limit = search.limit !== undefined && Number(search.limit) >= 0 ? search.limit : '';
  const reset = ['daily', 'weekly', 'monthly'].includes(search.usage_limit_type ?? '') ? search.usage_limit_type : '';
  return { callback, hasChallenge, name: search.key_label?.slice(0, 100) ?? '', limit, reset: reset ?? '' };
}

function readCallback(text: string): AuthRequest['callback'] | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const isLocal = url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  // `host` has names of other alphabets spelled out, so that none looks like another.
  return url.protocol === 'https:' || isLocal ? { url: text, host: url.host, isLocal } : undefined;
}

/** The address to go to with a code, which is the one that was shown. */
export function toCallbackAddress(callback: string, code: string): string {
  const url = new URL(callback);
  url.searchParams.set('code', code);
  return url.href;
}
