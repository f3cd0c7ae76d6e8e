import { insertKey } from '../account/members.ts';
import { chooseWorkspaceId } from '../account/workspaces.ts';
import { type AuthCodes, type AuthGrant, isVerified } from '../auth/auth-codes.ts';
import { isSignedInByHost } from '../auth/authenticate.ts';
import { createKeyRecord, type MemberDirectory } from '../auth/keys.ts';
import { findMemberPrincipal } from '../auth/member-principal.ts';
import type { Sessions } from '../auth/sessions.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation, publicOperation } from '../http/operation.ts';
import type { KeyRecord, Store } from '../stores/store.ts';
import {
  authCodeResponseSchema,
  createAuthCodeRequestSchema,
  exchangeAuthCodeRequestSchema,
  exchangedKeySchema,
} from '../wire/auth-keys.ts';
import { refuseField } from '../wire/fields.ts';
import { refuseKeyIn } from './member-keys.ts';
import { reachesWorkspace, toMemberReach } from './member-view.ts';
import { reachOf } from './permissions.ts';

export interface AuthKeyParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'keys' | 'members' | 'workspaces'>;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly authCodes: AuthCodes;
  /** Counts the failures of addresses; null where the host authenticates. */
  readonly sessions: Sessions | null;
}

/**
 * `POST /auth/keys/code`: agrees that an app gets a key. The page `/auth` calls it once its user has agreed, with the
 * session and the token that a page of another site does not have.
 */
export const createAuthCode = operation<AuthKeyParts>()({
  body: createAuthCodeRequestSchema,
  response: authCodeResponseSchema,
  responseHeaders: { 'cache-control': '`no-store`' },
  async run({ request, principal, parts, body, responseHeaders }) {
    const { platform, store, authCodes, sessions } = parts;
    // What a host lets its people do is not known when the app comes with the code.
    const isOwnSession = sessions !== null && !isSignedInByHost(request);
    const host = body.callback_url === undefined ? 'App without a callback' : new URL(body.callback_url).host;
    const { code_challenge: text, code_challenge_method: method = 'plain' } = body;
    const agreed = await store.keys.get(principal.id);
    const workspaceId = await chooseWorkspaceId(body.workspace_id, parts);
    refuseKeyIn(workspaceId, principal);
    const id = await authCodes.issue({
      name: body.key_label ?? host,
      limitUsd: body.limit ?? null,
      limitReset: body.usage_limit_type ?? null,
      expiresAt: body.expires_at ?? null,
      workspaceId,
      userId: principal.userId ?? null,
      challenge: text === undefined ? null : { method, text },
      agreedBy: agreed === undefined ? null : agreed.hash,
      memberId: isOwnSession && principal.member !== undefined ? (principal.userId ?? null) : null,
    });
    responseHeaders['cache-control'] = 'no-store';
    const appId = Number.parseInt((await platform.sha256(host)).slice(0, 8), 16) >>> 1;
    return { data: { id, app_id: appId, created_at: new Date(platform.now()).toISOString() } };
  },
});

/**
 * `POST /auth/keys`: exchanges a code for a key, which is shown once. What is wrong with the form of a request leaves the
 * code as it is; a wrong verifier spends it, as somebody else may be trying.
 */
export const exchangeAuthCode = publicOperation<AuthKeyParts>()({
  body: exchangeAuthCodeRequestSchema,
  response: exchangedKeySchema,
  responseHeaders: { 'cache-control': '`no-store`' },
  errors: ['conflict', 'permission_denied', 'rate_limit_exceeded'],
  find({ request, parts: { sessions } }) {
    const retryAfterSeconds = sessions?.waitSeconds(request.remoteAddress ?? '') ?? 0;
    if (retryAfterSeconds === 0) return;
    throw new GatewayError('rate_limit_exceeded', 'Too many wrong codes; wait a minute', { retryAfterSeconds });
  },
  async run({ request, parts, body, responseHeaders }) {
    const { platform, authCodes, sessions } = parts;
    const refuse = (problem: string): GatewayError => {
      sessions?.noteFailure(request.remoteAddress ?? '');
      return new GatewayError('permission_denied', problem);
    };
    const grant = await authCodes.find(body.code);
    if (grant === undefined) throw refuse(SPENT);
    refuseOtherMethod(body.code_challenge_method ?? undefined, grant);
    if (!(await isProved(body.code_verifier ?? undefined, grant, platform))) {
      await authCodes.spend(body.code);
      throw refuse('code_verifier is not the one that the code was asked for with; the code is spent, begin anew');
    }
    if (!(await authCodes.spend(body.code))) throw refuse(SPENT);
    if (!(await isStillAgreed(grant, parts)))
      throw refuse('The management key that agreed is not valid any more; begin anew');
    if (!(await mayMemberStill(grant, parts)))
      throw refuse('The member who agreed may not make this key any more; begin anew');
    const workspaceId = await chooseWorkspaceId(grant.workspaceId, parts);
    const { name, limitUsd, limitReset, expiresAt, userId, memberId } = grant;
    const options = { platform, kind: 'api', name, limitUsd, limitReset, expiresAt, workspaceId } as const;
    const { key, record } = await createKeyRecord({ ...options, creatorUserId: userId });
    await insertKey(record, parts, { isOfMember: memberId != null });
    responseHeaders['cache-control'] = 'no-store';
    return { key, user_id: userId };
  },
});

const SPENT = 'The code was used already, is older than ten minutes, or is wrong; begin anew';

function refuseOtherMethod(method: 'S256' | 'plain' | undefined, { challenge }: AuthGrant): void {
  if (method === undefined || method === challenge?.method) return;
  const was = challenge === null ? 'without a challenge' : `with ${challenge.method}`;
  throw refuseField('code_challenge_method', `must be as before: the code was asked for ${was}`);
}

/** A verifier without a challenge is refused: somebody may have taken the challenge out of the app's address. */
async function isProved(
  verifier: string | undefined,
  { challenge }: AuthGrant,
  platform: Pick<Platform, 'sha256'>,
): Promise<boolean> {
  if (challenge !== null) {
    if (verifier === undefined)
      throw refuseField('code_verifier', 'is needed: the code was asked for with a challenge');
    return isVerified(verifier, challenge, platform);
  }
  if (verifier === undefined) return true;
  throw refuseField('code_verifier', 'must be left out: the code was asked for without a challenge');
}

async function isStillAgreed({ agreedBy }: AuthGrant, { store, platform }: AuthKeyParts): Promise<boolean> {
  if (agreedBy === null) return true;
  const record: KeyRecord | undefined = await store.keys.get(agreedBy);
  if (record === undefined || record.disabled) return false;
  return record.expiresAt === null || Date.parse(record.expiresAt) > platform.now();
}

/** A code gives no more than its member could make at this moment: they may have left, or have got another role. */
async function mayMemberStill({ memberId, workspaceId }: AuthGrant, parts: AuthKeyParts): Promise<boolean> {
  if (memberId == null) return true;
  try {
    const principal = await findMemberPrincipal(memberId, parts);
    const reach = reachOf(principal, 'createAuthCode');
    if (reach === null) return false;
    refuseKeyIn(workspaceId, principal);
    return reach === 'all' || reachesWorkspace(workspaceId, toMemberReach(principal, reach));
  } catch (error) {
    if (error instanceof GatewayError && (error.code === 'authentication' || error.code === 'permission_denied'))
      return false;
    throw error;
  }
}
