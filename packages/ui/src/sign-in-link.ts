import type { SignInProblem } from '@model-gateway/core/wire';

/*
 * The link that signs a browser in, once: the gateway prints what `toSignInLink` writes, and the page takes what
 * `readSignInLink` reads. The token is in the fragment, which browsers send to no server and write into no log.
 */

const FRAGMENT = '#token=';

/** The link to a UI at this address, which has no trailing slash: `http://127.0.0.1:8855/ui`. */
export const toSignInLink = (uiUrl: string, token: string): string => `${uiUrl}/${FRAGMENT}${token}`;

/** A link that a page was opened with. */
export interface SignInLink {
  /** As it came; the gateway judges it. */
  readonly token: string;
  /** The address without it, from the path on. */
  readonly address: string;
}

/**
 * Reads the token out of the address of a page; null where the address is that of a screen. Takes `#token=…`, and the
 * forms that people and scripts have from elsewhere: `?token=…` and `#…` alone.
 */
export function readSignInLink({
  pathname,
  search,
  hash,
}: Pick<URL, 'pathname' | 'search' | 'hash'>): SignInLink | null {
  const inFragment = hash.startsWith(FRAGMENT) ? hash.slice(FRAGMENT.length) : /^#([\w-]{16,})$/.exec(hash)?.[1];
  if (inFragment !== undefined) return { token: inFragment, address: pathname };
  const inQuery = new URLSearchParams(search).get('token');
  return inQuery === null ? null : { token: inQuery, address: pathname + hash };
}

const PROBLEM = /^#sign-in-error=(\w{1,40})$/;

/** Why a sign-in at a provider of identity has failed, as the way back from there says it; null where it says nothing. */
export function readSignInProblem(hash: string): SignInProblem | null {
  const named = PROBLEM.exec(hash)?.[1];
  return named === undefined ? null : (named as SignInProblem);
}
