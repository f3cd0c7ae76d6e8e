import { type Awaitable, once, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError, toGatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import {
  type Authenticate,
  firstValue,
  type GatewayRequest,
  type HeaderMap,
  type Principal,
  type SignedInMember,
} from '../http/request.ts';
import type { KeyRecord, Store } from '../stores/store.ts';
import { findOwnerProblem } from './key-owner.ts';
import { findMemberPrincipal, type MemberDirectory } from './member-principal.ts';
import type { Session } from './session-keep.ts';
import type { Sessions } from './sessions.ts';
import { type TokenOptions, UnprovenToken } from './token-issuers.ts';
import { createTokens, isToken, readToken } from './tokens.ts';
import { createWrongKeys, DEFAULT_WRONG_KEYS_PER_ADDRESS, type ShareFailures } from './wrong-keys.ts';

/** Returns the caller's principal or rejects with `authentication`. Synchronous where everything is in memory. */
export type AuthenticateCaller = (request: GatewayRequest) => Awaitable<Principal>;

interface AuthenticateOptions {
  readonly bootstrapKeys?: readonly BootstrapKey[] | undefined;
  /** The embedder's own authentication. Null means not authenticated (401); keys are not checked then. */
  readonly authenticate?: Authenticate<GatewayRequest> | undefined;
  readonly store: Pick<Store, 'catchUpTables' | 'guardrails' | 'keys' | 'members' | 'workspaces'>;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  /** Keeps sessions of members in force; null where nobody can sign in as themselves. */
  readonly identitySessions?:
    | { requireInForce(session: Session, request: GatewayRequest): Promise<void> }
    | null
    | undefined;
  /** Whoever sends it may use `/scim/v2`, and nothing else; without one that is not served. */
  readonly scimToken?: string | undefined;
  /** Issuers whose JWTs are taken in the place of API keys. */
  readonly tokens?: TokenOptions | undefined;
  /** For what issuers do not send. */
  readonly logger?: Logger | undefined;
  /** Wrong keys that one address may send before further ones are slowed; null slows none. Default 10. */
  readonly wrongKeysPerAddress?: number | null | undefined;
}

/** No valid key is near this long; hashing megabytes would help an attacker to use up CPU time. */
const MAX_KEY_LENGTH = 512;
const BEARER_KEY = /^Bearer +(\S+) *$/i;

/**
 * Creates the check that every call passes: the principal or the sign-in of the request's host, else the embedder's
 * `authenticate`, else the bearer key, looked up by its SHA-256 among the configured and the stored ones, else the
 * session of a browser, which may act as an API key by naming its hash.
 */
export function createAuthenticate(
  options: AuthenticateOptions,
  platform: Platform,
  sessions: Sessions | null,
  shareFailures?: ShareFailures,
): AuthenticateCaller {
  let configured: ReadonlyMap<string, Principal> | undefined;
  const configure = async (): Promise<ReadonlyMap<string, Principal>> =>
    (configured ??= await hashBootstrapKeys(options.bootstrapKeys ?? [], platform));
  // A promise that several requests wait for ends with the first of them where it belongs to that one.
  const configuring = platform.isPerRequest === true ? configure : once(configure);

  const { wrongKeysPerAddress = DEFAULT_WRONG_KEYS_PER_ADDRESS } = options;
  const wrongKeys = createWrongKeys(wrongKeysPerAddress, platform, shareFailures);

  /** What may have been taken from the member of a key since it was made counts from the next call on. */
  const admit = (record: KeyRecord): Awaitable<Principal> => {
    const principal = toPrincipal(record, platform.now());
    return whenKnown(findOwnerProblem(record, options), (problem) => {
      if (problem === null) return principal;
      throw new GatewayError('authentication', `The member whose API key this is ${problem}; ask an administrator`);
    });
  };

  /** The address is that of a client who may be guessing keys. */
  const find = (keys: ReadonlyMap<string, Principal>, hash: string, address?: string): Awaitable<Principal> => {
    const known = keys.get(hash);
    if (known !== undefined) return known;
    return whenKnown(options.store.keys.get(hash), (record) => {
      if (record !== undefined) return admit(record);
      if (options.store.catchUpTables === undefined) throw wrongKeys.refuse(address);
      return findAnew(options.store.catchUpTables(), hash, address);
    });
  };
  /** A key that another process has just made is not known here yet. */
  const findAnew = async (caughtUp: Promise<void>, hash: string, address?: string): Promise<Principal> => {
    await caughtUp;
    const record = await options.store.keys.get(hash);
    if (record === undefined) throw wrongKeys.refuse(address);
    return admit(record);
  };
  const findLater = async (hash: string | Promise<string>, address?: string): Promise<Principal> =>
    find(await configuring(), await hash, address);

  /** A signed-in person may make API keys, and so may call as one without holding it. */
  const findActedAs = async (hash: string, { member, userId }: Principal): Promise<Principal> => {
    const isBound = member !== undefined && !callsAsAnyone(member);
    if (isBound && member.role !== 'developer') throw refuseActing(member);
    const principal = await findLater(hash);
    // A key of another does not exist for them.
    if (isBound && (userId === undefined || principal.userId !== userId)) throw wrongKeys.refuse(undefined);
    if (principal.kind === 'api') return principal;
    throw new GatewayError('permission_denied', `${ACT_AS_HEADER} must name an API key; this is a management key`);
  };

  const { scimToken } = options;
  /** A directory that sends people and groups: neither a key nor the host's sign-in takes the place of its token. */
  const authenticateDirectory = async ({ headers, remoteAddress }: GatewayRequest): Promise<Principal> => {
    if (scimToken === undefined) {
      throw new GatewayError(
        'not_found',
        'SCIM is not served here; set scim.token in the configuration of the gateway',
      );
    }
    const [sent, wanted] = await Promise.all([platform.sha256(readBearer(headers)), platform.sha256(scimToken)]);
    if (sent !== wanted) throw wrongKeys.refuse(remoteAddress);
    return SCIM_PRINCIPAL;
  };

  const authenticate: AuthenticateCaller = (request) => {
    if (request.path.startsWith(SCIM_PATH)) return authenticateDirectory(request);
    if (request.principal !== undefined) return request.principal;
    const signIn = request.authenticate ?? options.authenticate;
    if (signIn !== undefined) return askHost(signIn, request);
    const { headers } = request;
    const isBrowser =
      headers['authorization'] === undefined && headers['x-api-key'] === undefined && !hasGeminiKey(request);
    if (sessions !== null && isBrowser && headers['cookie'] !== undefined)
      return authenticateBrowser(request, sessions);
    return authenticateByKey(request);
  };

  const authenticateBrowser = async (request: GatewayRequest, { find: findSession }: Sessions): Promise<Principal> => {
    const session = await findSession(request);
    if (session === undefined) return authenticateByKey(request);
    refuseForged(request, session);
    const signedIn = await findSignedIn(session, request);
    const keyHash = firstValue(request.headers[ACT_AS_HEADER]);
    return keyHash === undefined ? signedIn : findActedAs(keyHash, signedIn);
  };

  const findSignedIn = async (session: Session, request: GatewayRequest): Promise<Principal> => {
    const { memberId, keyHash } = session;
    if (session.identity !== undefined) await requireInForce(session, request);
    if (memberId !== undefined) return findMemberPrincipal(memberId, options);
    return keyHash === null ? LINK_PRINCIPAL : findLater(keyHash);
  };

  /** One that was opened in a way that the configuration knows no more has ended. */
  const requireInForce = async (session: Session, request: GatewayRequest): Promise<void> => {
    if (options.identitySessions != null) return options.identitySessions.requireInForce(session, request);
    throw new GatewayError('authentication', 'This session has ended; sign in again');
  };

  const { store, members, logger } = options;
  const tokens = options.tokens && createTokens(options.tokens, { platform, logger, store, members });
  /** Whoever tries tokens is slowed like whoever tries keys, but not who sends one that has expired. */
  const refuseToken = (error: unknown, address: string | undefined): never => {
    if (!(error instanceof UnprovenToken)) throw error;
    const refused = wrongKeys.refuse(address, 'token');
    throw refused.code === 'authentication' ? error : refused;
  };

  const authenticateByKey = (request: GatewayRequest): Awaitable<Principal> => {
    const { remoteAddress } = request;
    const lookUp = (key: string, address: string | undefined): Awaitable<Principal> => {
      const hash = platform.sha256(key);
      return configured !== undefined && typeof hash === 'string'
        ? find(configured, hash, address)
        : findLater(hash, address);
    };
    const byKey = (key: string): Awaitable<Principal> => lookUp(key, remoteAddress);
    const token = tokens && readToken(request.headers);
    if (tokens === undefined || token === undefined) {
      const [key, other] = readKeys(request);
      return other === undefined ? byKey(key) : byEither(key, other, byKey);
    }
    const refuse = (error: unknown): Awaitable<Principal> => {
      if (!(error instanceof GatewayError) || error.code !== 'authentication') throw error;
      const key = readKeyBeside(request);
      if (key === undefined) return refuseToken(error, remoteAddress);
      // Who has a token of a known issuer guesses no keys: theirs is of another service, and the token wants renewal.
      const address = error instanceof UnprovenToken ? remoteAddress : undefined;
      return byKeyBeside(error, () => lookUp(key, address));
    };
    try {
      const found = tokens(token);
      return found instanceof Promise ? found.catch(refuse) : found;
    } catch (error) {
      return refuse(error);
    }
  };
  return (request) => {
    try {
      return authenticate(request);
    } catch (error) {
      return Promise.reject(toGatewayError(error));
    }
  };
}

async function askHost(authenticate: Authenticate<GatewayRequest>, request: GatewayRequest): Promise<Principal> {
  const principal = await authenticate(request);
  // Code without types may return undefined.
  if (!principal) throw new GatewayError('authentication', 'Not authenticated');
  return principal;
}

/**
 * The keys of a request. Anthropic's clients send theirs as `x-api-key`, and some send that of another service beside the
 * bearer key, so one of two is enough (wire.md 22.1). Google's do the same with another header, or the query of the
 * address. Throws `authentication` when there is none.
 */
function readKeys(request: GatewayRequest): readonly [string, string?] {
  const { headers } = request;
  const apiKey = firstValue(headers['x-api-key']) ?? (isGeminiPath(request) ? readGeminiKey(request) : undefined);
  if (apiKey === undefined || apiKey === '' || apiKey.length > MAX_KEY_LENGTH) return [readBearer(headers)];
  return firstValue(headers['authorization']) ? [readBearer(headers), apiKey] : [apiKey];
}

/** The routes of Gemini's form. The key of its clients is read there alone, so that other calls do not look for it. */
const isGeminiPath = ({ path }: GatewayRequest): boolean => path.startsWith('/v1');

const hasGeminiKey = (request: GatewayRequest): boolean =>
  isGeminiPath(request) && readGeminiKey(request) !== undefined;

/** A key in an address is in no log of ours: the query of a request is neither logged nor recorded. */
const readGeminiKey = ({ headers, query }: GatewayRequest): string | undefined =>
  firstValue(headers['x-goog-api-key']) ||
  (query.includes('key=') ? new URLSearchParams(query).get('key') : null) ||
  undefined;

async function byEither(key: string, other: string, byKey: (key: string) => Awaitable<Principal>): Promise<Principal> {
  try {
    return await byKey(key);
  } catch {
    return byKey(other);
  }
}

/** The key in the other header than the token, which may be another service's. Undefined for none, or another token. */
function readKeyBeside(request: GatewayRequest): string | undefined {
  const { headers } = request;
  const found = [
    BEARER_KEY.exec((firstValue(headers['authorization']) ?? '').slice(0, MAX_KEY_LENGTH + 16))?.[1],
    firstValue(headers['x-api-key']),
    isGeminiPath(request) ? readGeminiKey(request) : undefined,
  ];
  return found.find((key) => key !== undefined && key !== '' && key.length <= MAX_KEY_LENGTH && !isToken(key));
}

async function byKeyBeside(refusal: GatewayError, byKey: () => Awaitable<Principal>): Promise<Principal> {
  try {
    return await byKey();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'authentication') throw error;
    throw new GatewayError('authentication', `${refusal.message}. The key beside the token: ${error.message}`);
  }
}

function readBearer(headers: HeaderMap): string {
  const header = firstValue(headers['authorization']);
  if (header === undefined || header === '') {
    throw new GatewayError('authentication', 'Missing Authentication header; send "Authorization: Bearer <key>"');
  }
  const key = BEARER_KEY.exec(header.slice(0, MAX_KEY_LENGTH + 16))?.[1];
  if (key === undefined || key.length > MAX_KEY_LENGTH) {
    throw new GatewayError('authentication', 'Malformed Authentication header; send "Authorization: Bearer <key>"');
  }
  return key;
}

function toPrincipal(record: KeyRecord, nowMs: number): Principal {
  if (record.disabled) throw new GatewayError('authentication', 'This API key is disabled');
  if (record.expiresAt !== null && Date.parse(record.expiresAt) <= nowMs) {
    throw new GatewayError('authentication', 'This API key has expired');
  }
  return toKeyPrincipal(record);
}

/** The caller that a stored key stands for, whether or not it may call now. */
export function toKeyPrincipal(record: KeyRecord): Principal {
  return {
    kind: record.kind,
    id: record.hash,
    name: record.name,
    userId: record.creatorUserId ?? undefined,
    workspaceId: record.workspaceId,
    limitUsd: record.limitUsd,
    limitReset: record.limitReset,
    includeByokInLimit: record.includeByokInLimit,
    externalUser: record.externalUser,
  };
}

async function hashBootstrapKeys(keys: readonly BootstrapKey[], platform: Platform): Promise<Map<string, Principal>> {
  const principals = new Map<string, Principal>();
  for (const { key, kind, name } of keys) {
    const id = await platform.sha256(key);
    principals.set(id, { kind, id, name });
  }
  return principals;
}

/** By this header a session calls models: it has the hash of the API key that acts (docs/decisions/0034). */
const ACT_AS_HEADER = 'x-act-as-key';

const SCIM_PATH = '/scim/v2/';
/** The principal of a directory that sends people and groups. */
export const SCIM_PRINCIPAL: Principal = { kind: 'management', id: 'scim', name: 'SCIM' };
const callsAsAnyone = ({ role }: SignedInMember): boolean => role === 'owner' || role === 'administrator';

const refuseActing = ({ role }: SignedInMember): GatewayError =>
  new GatewayError(
    'permission_denied',
    `Calls need the role owner, administrator or developer; yours is ${role}. Ask an administrator of the organization`,
  );

/** The principal of a session that began with a one-time link. */
export const LINK_PRINCIPAL: Principal = { kind: 'management', id: 'ui', name: 'UI' };

/** Whether the host of this request has its own sign-in, which leaves no use for sessions. */
export const isSignedInByHost = ({ principal, authenticate }: GatewayRequest): boolean =>
  principal !== undefined || authenticate !== undefined;

/** A page of another site can make a browser send its cookie, but not read the token: throws `permission_denied`. */
export function refuseForged({ method, headers }: GatewayRequest, { csrfToken }: Session): void {
  if (method === 'GET' || method === 'HEAD' || firstValue(headers['x-csrf-token']) === csrfToken) return;
  throw new GatewayError(
    'permission_denied',
    'The x-csrf-token header is missing or wrong; GET /admin/v1/session returns it',
  );
}

/** A key in plain text in the configuration: valid while it is there, never stored. */
export interface BootstrapKey {
  readonly key: string;
  readonly kind: 'api' | 'management';
  readonly name: string;
  /** Used by the program around the gateway alone, and in no list for people. */
  readonly isInternal?: boolean | undefined;
  /** A public key, as those of a demo: the sign-in page offers it. */
  readonly isPublic?: boolean | undefined;
}

/** A key of the configuration as it may be shown: without the key itself, and without parts of it, which may be short. */
export type ConfiguredKey = Pick<BootstrapKey, 'kind' | 'name'>;

/** The keys of the configuration by their hashes, in its order. */
export type ConfiguredKeys = () => Promise<ReadonlyMap<string, ConfiguredKey>>;

/** Creates the look-up. The keys are hashed when they are first asked for; once, where requests can share promises. */
export function createConfiguredKeys(
  bootstrapKeys: readonly BootstrapKey[],
  platform: Pick<Platform, 'sha256' | 'isPerRequest'>,
): ConfiguredKeys {
  const hashAll = async (): Promise<ReadonlyMap<string, ConfiguredKey>> =>
    new Map(
      await Promise.all(
        bootstrapKeys.map(async ({ key, kind, name }) => [await platform.sha256(key), { kind, name }] as const),
      ),
    );
  if (platform.isPerRequest === true) return hashAll;
  return once(hashAll);
}

/** Tells by its hash whether a key is that of the command around the gateway. */
export function createIsCommand(
  bootstrapKeys: readonly BootstrapKey[],
  platform: Pick<Platform, 'sha256' | 'isPerRequest'>,
): (keyHash: string) => Promise<boolean> {
  const keys = createConfiguredKeys(
    bootstrapKeys.filter(({ isInternal }) => isInternal === true),
    platform,
  );
  return async (keyHash) => (await keys()).has(keyHash);
}
