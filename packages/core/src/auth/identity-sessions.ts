import { GatewayError, toGatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { SharedEntries } from '../stores/store.ts';
import type { Member } from '../wire/members.ts';
import { createMemoryEntries } from './auth-codes.ts';
import {
  type IdentityClaims,
  type IdentityProvider,
  type IdentityTokens,
  type ProvenIdentity,
  toIdentity,
} from './identity-provider.ts';
import { applyIdentity, type Identity, type IdentityParts, type IdentityRules, refuse } from './identity.ts';
import { nameOf } from './member-principal.ts';
import { dropOldest, type Session, SESSION_LIFETIME_S } from './session-keep.ts';
import type { Sessions } from './sessions.ts';

/** How people sign in as themselves, beside one-time links and keys. */
export interface SignInOptions {
  readonly rules: IdentityRules;
  readonly oidc?: OidcSignIn | undefined;
  readonly proxy?: ProxySignIn | undefined;
}

export interface OidcSignIn {
  readonly provider: IdentityProvider;
  /** What the button says: "Continue with <label>". */
  readonly label: string;
  readonly claims: IdentityClaims;
  /** After how long a session that is used asks the provider again. */
  readonly refreshMinutes: number;
}

/** A proxy in front of the gateway that signs people in, and says in headers who they are. Header names are lower-case. */
export interface ProxySignIn {
  readonly header: string;
  readonly emailHeader?: string | undefined;
  readonly nameHeader?: string | undefined;
  /** Its value is a list with commas. */
  readonly groupsHeader?: string | undefined;
  /** Whether the other side of a connection is such a proxy. */
  readonly isTrusted: (address: string) => boolean;
}

export interface IdentitySessions {
  readonly oidc: OidcSignIn | undefined;
  /** What groups give those who sign in, by their names. */
  readonly groups: IdentityRules['groups'];
  /** Opens the session of somebody whom the provider knows. Throws `permission_denied` where they may not sign in. */
  openByProvider(proven: ProvenIdentity, request: GatewayRequest, parts: MemberParts): Promise<Session>;
  /** Who the trusted proxy of this request says that it is from; undefined where it says nothing. */
  readProxy(request: GatewayRequest): Identity | undefined;
  openByProxy(identity: Identity, request: GatewayRequest, parts: MemberParts): Promise<Session>;
  /**
   * Throws `authentication` for a session whose member has signed out at the provider, is not there any more, or is
   * somebody else to the proxy by now. Asks the provider again where that is due, and applies what it says.
   */
  requireInForce(session: Session, request: GatewayRequest): Promise<void>;
  /** Ends what a provider's logout token names, in all processes. Throws `invalid_request` for a token that is none. */
  endByProvider(logoutToken: string): Promise<{ readonly issuer: string; readonly name: string }>;
  /** Where the browser of a session signs out of the provider, too. */
  signOutUrl(session: Session, returnTo: string): Promise<string | undefined>;
}

type MemberParts = Pick<IdentityParts, 'members' | 'store'>;

interface IdentitySessionParts extends IdentityParts {
  readonly store: IdentityParts['store'] & { readonly entries?: SharedEntries | undefined };
  readonly platform: Platform;
  readonly logger: Logger;
  readonly sessions: Sessions;
  readonly audit?: IdentityAudit | undefined;
}

/** What the audit log is told of sessions that go on, or do not. */
export interface IdentityAudit {
  /** The provider has ended the session. */
  readonly noteEnded: (session: Session, request: GatewayRequest) => void;
  /** Runs what changes a member, with a store that tells what is changed. */
  readonly track: <Result>(
    session: Session,
    request: GatewayRequest,
    run: (store: IdentityParts['store']) => Promise<Result>,
  ) => Promise<Result>;
}

const LIFETIME_MS = SESSION_LIFETIME_S * 1000;
/** A provider that is away is asked again after that. */
const RETRY_MS = 60_000;
/** Another process asks at this moment. */
const OTHERS_ASK_MS = 5000;
const ASKING_MS = 30_000;
const TOKEN_ID_MS = 20 * 60_000;
/** Requests of one page ask for marks once. */
const BELIEVED_MS = 250;
const BELIEVED_WITHOUT_STORE_MS = 5 * 60_000;
const MAX_KNOWN = 1000;

/** What is held of a session at the provider, sealed by the secret of the session. */
interface HeldTokens extends IdentityTokens {
  readonly checkedAtMs: number;
}

/** Creates what keeps the sessions of members in force; null where they cannot sign in as themselves. */
export function createIdentitySessions(
  options: SignInOptions | undefined,
  { sessions, ...parts }: Omit<IdentitySessionParts, 'sessions'> & { readonly sessions: Sessions | null },
): IdentitySessions | null {
  // Groups alone, which a directory's roles follow, are no way to sign in.
  const hasWay = options?.oidc !== undefined || options?.proxy !== undefined;
  return options === undefined || !hasWay || sessions === null ? null : keepInForce(options, { ...parts, sessions });
}

function keepInForce({ rules, oidc, proxy }: SignInOptions, parts: IdentitySessionParts): IdentitySessions {
  const { platform, logger, sessions, audit } = parts;
  const entries = parts.store.entries ?? createMemoryEntries(platform);
  const refreshMs = (oidc?.refreshMinutes ?? 0) * 60_000;
  /** When a session is to be checked again, by its secret, of the monotonic clock. */
  const dueAt = new Map<string, number>();
  let hasWarned = false;
  const seenMarks = new Map<string, { readonly mark: string | null; readonly seenAt: number }>();

  const setDue = (secret: string, inMs: number): void => {
    dueAt.delete(secret);
    dueAt.set(secret, platform.monotonicNow() + inMs);
    dropOldest(dueAt, MAX_KNOWN);
  };
  /** `alone`: the sessions of a user that were opened without an id of the provider's session. */
  const markIdOf = async (kind: 'subject' | 'session' | 'alone', issuer: string, name: string): Promise<string> =>
    `identity-end:${await platform.sha256(`${kind}\n${issuer}\n${name}`)}`;
  const readMark = async (id: string): Promise<string | null> => {
    const known = seenMarks.get(id);
    const age = known === undefined ? Number.POSITIVE_INFINITY : platform.monotonicNow() - known.seenAt;
    if (known !== undefined && age < BELIEVED_MS) return known.mark;
    let mark: string | null;
    try {
      mark = (await entries.get(id)) ?? null;
    } catch (error) {
      // As sessions do: no logout can have happened at a store that is away.
      if (known !== undefined && age < BELIEVED_WITHOUT_STORE_MS) return known.mark;
      throw error;
    }
    seenMarks.delete(id);
    seenMarks.set(id, { mark, seenAt: platform.monotonicNow() });
    dropOldest(seenMarks, MAX_KNOWN);
    return mark;
  };

  const tokensIdOf = async (secret: string): Promise<string> => `identity-tokens:${await platform.sha256(secret)}`;
  const holdTokens = async (
    { secret, expiresAtMs }: Session,
    tokens: IdentityTokens,
    checkedAtMs = platform.now(),
  ): Promise<void> => {
    const held: HeldTokens = { ...tokens, checkedAtMs };
    const sealed = await sealFor(secret, JSON.stringify(held), platform);
    await entries.put(await tokensIdOf(secret), sealed, Math.max(1, expiresAtMs - platform.now()));
  };
  const readTokens = async ({ secret }: Session): Promise<HeldTokens | undefined> => {
    const sealed = await entries.get(await tokensIdOf(secret));
    if (sealed === undefined) return undefined;
    return JSON.parse(await openSealed(secret, sealed, platform)) as HeldTokens;
  };

  const end = async (session: Session, request: GatewayRequest, message: string): Promise<never> => {
    await sessions.close(session);
    await entries.take(await tokensIdOf(session.secret));
    audit?.noteEnded(session, request);
    throw new GatewayError('authentication', message);
  };

  const applyAgain = async (
    session: Session,
    request: GatewayRequest,
    { proven, claims }: { readonly proven: ProvenIdentity; readonly claims: IdentityClaims },
  ): Promise<void> => {
    const identity = await toIdentity(proven, claims, platform);
    const apply = (store: IdentityParts['store']): Promise<Member> => {
      const members = parts.members === parts.store.members ? store.members : parts.members;
      return applyIdentity(identity, rules, { ...parts, store, members }, { isKnown: true });
    };
    const member = await (audit === undefined ? apply(parts.store) : audit.track(session, request, apply));
    if (member.id !== session.memberId)
      throw refuse('invalid_user', 'The provider says that this is another user by now');
  };

  const refreshIfDue = async (session: Session, request: GatewayRequest, own: OidcSignIn): Promise<void> => {
    const { secret } = session;
    if ((dueAt.get(secret) ?? 0) > platform.monotonicNow()) return;
    // The other requests of its page go on meanwhile.
    setDue(secret, RETRY_MS);
    const held = await readTokens(session);
    if (held?.refreshToken === undefined) return setDue(secret, refreshMs);
    const { refreshToken } = held;
    const restMs = held.checkedAtMs + refreshMs - platform.now();
    if (restMs > 0) return setDue(secret, Math.min(restMs, refreshMs));
    // A refresh token is often good for one use, so one process asks.
    const asking = `identity-refresh:${await platform.sha256(secret)}`;
    if ((await entries.claim(asking, '1', ASKING_MS)) !== undefined) return setDue(secret, OTHERS_ASK_MS);
    let proven: ProvenIdentity | null;
    try {
      proven = await own.provider.refresh({ ...held, refreshToken }, (rotated) =>
        holdTokens(session, { ...held, refreshToken: rotated }, held.checkedAtMs),
      );
    } catch (error) {
      logger.warn('the provider of identity could not be asked for a user; the session goes on', {
        reason: toGatewayError(error).message,
      });
      return;
    }
    if (proven === null)
      return end(session, request, 'Your session at the provider of identity has ended; sign in again');
    const tokens = { ...held, ...withoutMissing(proven.tokens) };
    // Also for a provider that tells of no new token before.
    await holdTokens(session, tokens, held.checkedAtMs);
    try {
      await applyAgain(session, request, { proven, claims: own.claims });
    } catch (error) {
      const refused = toGatewayError(error);
      if (refused.code !== 'permission_denied') throw error;
      return end(session, request, refused.message);
    }
    await holdTokens(session, tokens);
    setDue(secret, refreshMs);
    await entries.take(asking);
  };

  const openMember = async (member: Member, identity: Session['identity'], request: GatewayRequest): Promise<Session> =>
    sessions.open({ keyHash: null, name: nameOf(member), memberId: member.id, identity }, request);

  const readProxy = (request: GatewayRequest): Identity | undefined => {
    const { headers, peerAddress } = request;
    if (proxy === undefined || peerAddress === undefined || !proxy.isTrusted(peerAddress)) return undefined;
    const read = (name: string | undefined): string | undefined =>
      (name === undefined ? undefined : firstValue(headers[name]))?.trim() || undefined;
    const id = read(proxy.header);
    if (id === undefined) return undefined;
    const email = read(proxy.emailHeader);
    const names = [proxy.header, proxy.emailHeader, proxy.nameHeader, proxy.groupsHeader];
    // A client's own header beside that of the proxy becomes one with a comma, which groups have anyway.
    if (id.includes(',') || email?.includes(',') === true || names.some((name) => isRepeated(name, request)))
      throw refuse('invalid_user', 'The proxy sent a header of the user twice; let it replace what clients send');
    const groups = (read(proxy.groupsHeader) ?? '').split(',').flatMap((group) => group.trim() || []);
    return { id, email, isEmailVerified: email === undefined ? undefined : true, name: read(proxy.nameHeader), groups };
  };
  const fingerprintOf = async (identity: Identity): Promise<string> => platform.sha256(JSON.stringify(identity));

  return {
    oidc,
    groups: rules.groups,
    readProxy,
    async openByProvider(proven, request, own) {
      if (oidc === undefined) throw notThisWay();
      const identity = await toIdentity(proven, oidc.claims, platform);
      const member = await applyIdentity(identity, rules, { ...parts, ...own });
      const ids = [await markIdOf('subject', proven.issuer, proven.subject)];
      ids.push(
        proven.sessionId === undefined
          ? await markIdOf('alone', proven.issuer, proven.subject)
          : await markIdOf('session', proven.issuer, proven.sessionId),
      );
      const marks = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await readMark(id)] as const)));
      const session = await openMember(member, { via: 'oidc', marks }, request);
      await holdTokens(session, proven.tokens);
      setDue(session.secret, refreshMs);
      if (proven.tokens.refreshToken === undefined && !hasWarned) {
        hasWarned = true;
        logger.warn('the provider of identity gives no refresh token, so users who are removed there stay signed in', {
          reason: 'ask for the scope offline_access (signIn.oidc.scopes), or for consent (signIn.oidc.prompt)',
        });
      }
      return session;
    },
    async openByProxy(identity, request, own) {
      const member = await applyIdentity(identity, rules, { ...parts, ...own });
      return openMember(member, { via: 'proxy', fingerprint: await fingerprintOf(identity) }, request);
    },
    async requireInForce(session, request) {
      const { identity } = session;
      if (identity === undefined) return;
      if (identity.via === 'proxy') {
        const now = readProxy(request);
        if (now === undefined || (await fingerprintOf(now)) !== identity.fingerprint) throw notThisWay();
        return;
      }
      if (oidc === undefined) throw notThisWay();
      for (const [id, seen] of Object.entries(identity.marks)) {
        const mark = await readMark(id);
        // One that is gone by now was of a logout before all sessions that still last.
        if (mark !== null && mark !== seen)
          return end(session, request, 'You have signed out at the provider of identity; sign in again');
      }
      await refreshIfDue(session, request, oidc);
    },
    async endByProvider(logoutToken) {
      if (oidc === undefined) throw new GatewayError('not_found', 'Sign-in by OpenID Connect is not set up');
      const ended = await oidc.provider.readLogoutToken(logoutToken);
      const { issuer, subject, sessionId } = ended;
      const tokenId = `identity-logout:${await platform.sha256(`${issuer}\n${ended.tokenId}`)}`;
      if ((await entries.get(tokenId)) !== undefined) throw usedAlready();
      const ids = [];
      if (sessionId === undefined) ids.push(await markIdOf('subject', issuer, subject ?? ''));
      else {
        ids.push(await markIdOf('session', issuer, sessionId));
        // Whether the session without an id is that one is not known.
        if (subject !== undefined) ids.push(await markIdOf('alone', issuer, subject));
      }
      for (const id of ids) {
        await entries.put(id, createRandomId(platform), LIFETIME_MS);
        seenMarks.delete(id);
      }
      // Last of all: a provider that is told of a failure sends the same token again.
      if ((await entries.claim(tokenId, '1', TOKEN_ID_MS)) !== undefined) throw usedAlready();
      return { issuer, name: subject ?? sessionId ?? '' };
    },
    async signOutUrl(session, returnTo) {
      if (oidc === undefined || session.identity?.via !== 'oidc') return undefined;
      try {
        const held = await readTokens(session);
        await entries.take(await tokensIdOf(session.secret));
        return await oidc.provider.endSessionUrl(held ?? {}, returnTo);
      } catch (error) {
        logger.warn('the page to sign out of the provider of identity is unknown', {
          reason: toGatewayError(error).message,
        });
        return undefined;
      }
    },
  };
}

function isRepeated(name: string | undefined, { headers, rawHeaders = [] }: GatewayRequest): boolean {
  if (name === undefined) return false;
  const value = headers[name];
  if (Array.isArray(value) && value.length > 1) return true;
  return rawHeaders.filter((raw, at) => at % 2 === 0 && raw.toLowerCase() === name).length > 1;
}

const notThisWay = (): GatewayError => new GatewayError('authentication', 'This session has ended; sign in again');

const usedAlready = (): GatewayError => new GatewayError('invalid_request', 'This logout token was used already');

const withoutMissing = (tokens: IdentityTokens): IdentityTokens =>
  Object.fromEntries(Object.entries(tokens).filter(([, value]) => value !== undefined)) as unknown as IdentityTokens;

const IV_BYTES = 12;
const KEY = { name: 'AES-GCM' };

/** A key that only who holds the secret of the session has: the store knows its hash alone. */
async function keyOf(secret: string, { sha256 }: Pick<Platform, 'sha256'>): Promise<CryptoKey> {
  const bytes = fromHex(await sha256(`identity tokens of ${secret}`));
  return crypto.subtle.importKey('raw', bytes, KEY, false, ['encrypt', 'decrypt']);
}

async function sealFor(secret: string, text: string, platform: Platform): Promise<string> {
  const iv = new Uint8Array(platform.randomBytes(IV_BYTES));
  const key = await keyOf(secret, platform);
  const sealed = await crypto.subtle.encrypt({ ...KEY, iv }, key, new TextEncoder().encode(text));
  return toHex(iv) + toHex(new Uint8Array(sealed));
}

async function openSealed(secret: string, sealed: string, platform: Platform): Promise<string> {
  const bytes = fromHex(sealed);
  const key = await keyOf(secret, platform);
  const iv = bytes.subarray(0, IV_BYTES);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ ...KEY, iv }, key, bytes.subarray(IV_BYTES)));
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
