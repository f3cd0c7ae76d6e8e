import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Transport } from '../foundation/transport.ts';
import { firstValue, type HeaderMap, type Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import type { MemberDirectory } from './member-principal.ts';

/** An issuer whose JWTs are taken in place of API keys. */
export interface TokenIssuer {
  /** The claim `iss`, and, without `jwksUrl`, the address at which discovery begins. */
  readonly issuer: string;
  /** One of these has to be in the claim `aud`. */
  readonly audience: string | readonly string[];
  /** Where the public keys are. Default: what `/.well-known/openid-configuration` of the issuer says. */
  readonly jwksUrl?: string | undefined;
  /** Asymmetric ones. Default: RS256, PS256, ES256, EdDSA. */
  readonly algorithms?: readonly TokenAlgorithm[] | undefined;
  /** How far the issuer's clock may be off. Default 30. */
  readonly clockToleranceSeconds?: number | undefined;
  /** Names of claims, or paths into them: `realm.team`. What is not named, or not in a token, has its default. */
  readonly claims?: TokenClaims | undefined;
  /** Id or slug. Default: the default workspace. */
  readonly workspace?: string | undefined;
  /** USD for each subject. Default: none. */
  readonly limitUsd?: number | undefined;
  readonly limitReset?: Principal['limitReset'];
}

export const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

export interface TokenClaims {
  /** Id, `userName` or e-mail address of a member, who has to be active. */
  readonly member?: string | undefined;
  /** Id or slug. */
  readonly workspace?: string | undefined;
  readonly limitUsd?: string | undefined;
  /** `daily`, `weekly` or `monthly`. */
  readonly limitReset?: string | undefined;
  /** The `external_user` of calls that name none. */
  readonly externalUser?: string | undefined;
  /** Shown to people. Default: the claim `sub`. */
  readonly name?: string | undefined;
}

export interface TokenOptions {
  readonly issuers: readonly TokenIssuer[];
  /** For the addresses of issuers. Default: the runtime's own `fetch`. */
  readonly transport?: Transport | undefined;
}

export interface TokenParts {
  readonly platform: Platform;
  readonly logger: Logger | undefined;
  readonly store: Pick<Store, 'workspaces'>;
  readonly members: MemberDirectory;
}

/** What a token says, after all about it has been checked. */
export interface VerifiedToken {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

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
  return apiKey !== undefined && apiKey.length <= MAX_LENGTH && PLAIN.test(apiKey) ? apiKey : undefined;
}

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
    verify ??= (await import('./verify-token.ts')).createVerify(options, parts);
    const verified = await verify(token);
    const [oldest] = remembered.size >= MAX_REMEMBERED ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(token, {
      ...verified,
      until: Math.min(verified.expiresAt, platform.now() + REMEMBERED_FOR_MS),
    });
    return verified.principal;
  };

  /** Members and workspaces are looked up with each call: who is removed stops at once. */
  const refuseGone = (principal: Principal): Awaitable<Principal> => {
    const { userId, workspaceId } = principal;
    const inWorkspace = (): Awaitable<Principal> =>
      workspaceId === undefined
        ? principal
        : whenKnown(store.workspaces.get(workspaceId), (workspace) => {
            if (workspace !== undefined) return principal;
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
