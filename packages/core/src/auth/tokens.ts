import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type HeaderMap, type Principal } from '../http/request.ts';
import type { TokenOptions, TokenParts, VerifiedToken } from './token-issuers.ts';

/** No token worth reading is longer: it goes with every request. */
const MAX_LENGTH = 16 * 1024;
/** Every JWT begins so, in base64url, as its header is a JSON object. Keys have no dots. */
const BEARER = /^Bearer +(ey[\w-]*\.[\w-]+\.[\w-]*) *$/i;
const PLAIN = /^ey[\w-]*\.[\w-]+\.[\w-]*$/;

/** The JWT that a request carries in the place of a key; undefined for none. */
export function readToken(headers: HeaderMap): string | undefined {
  const authorization = firstValue(headers['authorization']);
  if (authorization !== undefined && authorization.length <= MAX_LENGTH) {
    const token = BEARER.exec(authorization)?.[1];
    if (token !== undefined) return token;
  }
  const apiKey = firstValue(headers['x-api-key']);
  return apiKey !== undefined && apiKey.length <= MAX_LENGTH && isToken(apiKey) ? apiKey : undefined;
}

/** Whether a text has the form of a JWT. */
export const isToken = (text: string): boolean => PLAIN.test(text);

/** The caller that a token stands for; rejects with `authentication`, or `provider_overloaded` where nothing can be told. */
export type AuthenticateToken = (token: string) => Awaitable<Principal>;

/** Tokens that are remembered, so that a call costs a look-up. The oldest goes for a further one. */
const MAX_REMEMBERED = 5000;
/** After this they are verified again: an issuer may have withdrawn their key. */
const REMEMBERED_FOR_MS = 10 * 60 * 1000;

/** Creates the check of tokens. What it needs for signatures is loaded with the first one. */
export function createTokens(options: TokenOptions, parts: TokenParts): AuthenticateToken {
  const { platform, members, store } = parts;
  const remembered = new Map<string, VerifiedToken & { readonly until: number }>();
  let verify: ((token: string) => Promise<VerifiedToken>) | undefined;

  const verifyAnew = async (token: string): Promise<Principal> => {
    // Tokens that come at once import it at once: only the first makes it, as it reads the keys of issuers once.
    const { createVerify } = await import('./verify-token.ts');
    verify ??= createVerify(options, parts);
    const verified = await verify(token);
    const [oldest] = remembered.size >= MAX_REMEMBERED ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(token, {
      ...verified,
      until: Math.min(verified.expiresAt, platform.now() + REMEMBERED_FOR_MS),
    });
    return verified.principal;
  };

  /** What a token names is looked up with each call: who is removed stops at once. */
  const refuseGone = (principal: Principal): Awaitable<Principal> => {
    const { userId, workspaceId, guardrailId } = principal;
    const guarded = (): Awaitable<Principal> =>
      guardrailId === undefined
        ? principal
        : whenKnown(store.guardrails.get(guardrailId), (guardrail) => {
            if (guardrail !== undefined) return principal;
            throw new GatewayError('authentication', 'The guardrail of the token has been deleted');
          });
    const inWorkspace = (): Awaitable<Principal> =>
      workspaceId === undefined
        ? guarded()
        : whenKnown(store.workspaces.get(workspaceId), (workspace) => {
            if (workspace !== undefined) return guarded();
            throw new GatewayError('authentication', 'The workspace of the token has been deleted');
          });
    if (userId === undefined) return inWorkspace();
    return whenKnown(members.get(userId), (member) => {
      if (member !== undefined && member.active !== false) return inWorkspace();
      throw new GatewayError('authentication', 'The member of the token is gone or deactivated');
    });
  };

  return (token) => {
    const known = remembered.get(token);
    if (known !== undefined && platform.now() < known.until) return refuseGone(known.principal);
    remembered.delete(token);
    return verifyAnew(token).then(refuseGone);
  };
}
