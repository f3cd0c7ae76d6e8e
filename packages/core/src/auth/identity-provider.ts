import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { type Identity, refuse } from './identity.ts';

/** What is kept of a sign-in between the way to the provider and the way back. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** What a provider of identity has said, its signature and all else checked. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Of the session at the provider. */
  readonly sessionId?: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly tokens: IdentityTokens;
}

export interface IdentityTokens {
  readonly subject: string;
  readonly idToken?: string | undefined;
  /** Absent where the provider gives none: then it cannot be asked whether the user is still there. */
  readonly refreshToken?: string | undefined;
  /** Names of the claims that the user info has had: the ID token of the sign-in says nothing of them any more. */
  readonly userInfoClaims?: readonly string[] | undefined;
}

/** Whose sessions end: one session at the provider, or all of a user. One of the two is there. */
export interface EndedIdentity {
  readonly issuer: string;
  readonly tokenId: string;
  readonly subject?: string | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * A provider of identity that speaks OpenID Connect. Its methods reject with `authentication` for what is not as it has
 * to be, and with `provider_unavailable` while the provider is away.
 */
export interface IdentityProvider {
  /** The page of the provider to send the browser to, with a new state, nonce and PKCE verifier. */
  begin(redirectUri: string): Promise<PendingSignIn & { readonly url: string }>;
  /** Exchanges the code of the address that the browser came back to. */
  complete(callbackUrl: string, pending: PendingSignIn): Promise<ProvenIdentity>;
  /**
   * What the provider says of the user now; null where it says that they are signed in no more. `onRotated` gets a new
   * refresh token as soon as there is one, and is waited for: the token of before may be good for nothing by then, and what
   * else is asked may fail.
   */
  refresh(
    tokens: IdentityTokens & { readonly refreshToken: string },
    onRotated: (refreshToken: string) => Promise<void>,
  ): Promise<ProvenIdentity | null>;
  /** Checks the token of a back-channel logout. Rejects with `invalid_request`. */
  readLogoutToken(token: string): Promise<EndedIdentity>;
  /** Where the browser signs out of the provider; undefined where it has no such page. */
  endSessionUrl(tokens: Partial<IdentityTokens>, returnTo: string): Promise<string | undefined>;
}

/** The claims that say who somebody is, by their names. */
export interface IdentityClaims {
  /** The id of the member. `sub` is unique at the provider only, so the id is then made of it and of the issuer. */
  readonly user: string;
  readonly email: string;
  readonly name: string;
  readonly groups: string;
}

export const DEFAULT_CLAIMS: IdentityClaims = { user: 'sub', email: 'email', name: 'name', groups: 'groups' };

/** Reads who somebody is out of the claims. Throws `permission_denied` where the claim of the user is missing. */
export async function toIdentity(
  { issuer, subject, claims }: Pick<ProvenIdentity, 'issuer' | 'subject' | 'claims'>,
  names: IdentityClaims,
  platform: Pick<Platform, 'sha256'>,
): Promise<Identity> {
  // It would be the same member for all whom the provider sends like that.
  if (subject === '') throw refuse('invalid_user', 'The provider says an empty "sub" of this user');
  const email = readText(claims, names.email);
  const verified = claims['email_verified'];
  const isEmailVerified = verified === undefined ? undefined : verified === true || verified === 'true';
  const named = names.user === 'sub' ? await toMemberId(issuer, subject, platform) : readText(claims, names.user);
  if (named === undefined)
    throw refuse('invalid_user', `The provider says no "${names.user}" of this user; see signIn.oidc.claims.user`);
  // Anybody may claim an address that the provider has not checked.
  if (names.user === names.email && isEmailVerified === false)
    throw refuse('invalid_user', 'The provider has not checked the email address of this user');
  return {
    id: named,
    // What is said to be verified is the claim of this name; another one is the operator's choice.
    isIdUnchecked: names.user === 'email' && isEmailVerified !== true,
    email,
    isEmailVerified,
    name: readText(claims, names.name),
    groups: readGroups(claims, names),
  };
}

const toMemberId = async (issuer: string, subject: string, { sha256 }: Pick<Platform, 'sha256'>): Promise<string> =>
  `oidc-${(await sha256(`${issuer}\n${subject}`)).slice(0, 32)}`;

/** A claim, also one inside another: `realm_access.roles`. A name with dots of its own, as of an address, comes first. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

function readText(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = readClaim(claims, name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function readGroups(claims: Readonly<Record<string, unknown>>, names: IdentityClaims): readonly string[] {
  const value = readClaim(claims, names.groups);
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : [];
}

/** The error of a check that failed: what a browser brought is not what the provider gave. */
export const refuseIdentity = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('authentication', message, { cause });
