import type { Member, SessionResponse, SignInProblem } from '@model-gateway/core/wire';
import { createStore, useStore } from 'zustand';

/**
 * Who this page is signed in as. What proves it is a cookie that no script can read; the page keeps the CSRF token
 * alone, which writes carry beside it. Nothing of it is stored.
 */
export type Session =
  /**
   * With what went wrong when the page was opened by a link that signs in, on the way back from a provider of identity,
   * or behind a proxy; or that a session was there and has ended.
   */
  | {
      readonly type: 'none';
      readonly linkError?: unknown;
      readonly problem?: SignInProblem | undefined;
      readonly proxyError?: unknown;
      readonly isEnded?: boolean;
    }
  /** The desktop app, or a host with its own sign-in, vouches for the page. */
  | ({ readonly type: 'host'; readonly name: string } & SessionMember)
  | ({
      readonly type: 'cookie';
      readonly name: string;
      readonly csrfToken: string;
      readonly expiresAt: string;
    } & SessionMember);

/** Of a member who has signed in; all absent for the operator, who may do everything. */
export interface SessionMember {
  readonly userId?: string;
  readonly role?: MemberRole;
  /** Names of the operations that they may perform, at least with what is theirs. */
  readonly operations?: ReadonlySet<string>;
}

export type MemberRole = NonNullable<Member['organization_role']>;

const NONE: Session = { type: 'none' };

const store = createStore<Session>(() => NONE);

/** The session as it is now; the same object until it changes. */
export const getSession = store.getState;

export const useSession = (): Session => useStore(store);

export const setSession = (session: Session): void => store.setState(session, true);

/** Who is signed in. Another session of the same user has the same. */
export const toUserKey = (session: Session): string =>
  session.type === 'none' ? '' : JSON.stringify([session.userId, session.name]);

/** Calls back when those who were signed in have left, also when others have come in their place. */
export function onUserLeft(listener: () => void): void {
  store.subscribe((now, before) => {
    if (before.type !== 'none' && toUserKey(now) !== toUserKey(before)) listener();
  });
}

/** A session as the gateway describes it. */
export function toSession(data: Extract<SessionResponse['data'], { signed_in: true }>): Session {
  const { name, csrf_token: csrfToken, expires_at: expiresAt, user_id: userId, role, operations } = data;
  const member: SessionMember = {
    ...(userId != null && { userId }),
    ...(role !== undefined && { role }),
    ...(operations !== undefined && { operations: new Set(operations) }),
  };
  // When the host of the page authenticates the user, the host also guards against forged requests.
  if (csrfToken === '' || expiresAt === null) return { type: 'host', name, ...member };
  return { type: 'cookie', name, csrfToken, expiresAt, ...member };
}

/**
 * Removes the session, which the gateway may have ended. When the host of the page authenticates the user, there is no
 * sign-in to repeat.
 */
export function endSession(isEnded = false): void {
  if (store.getState().type === 'host') return;
  setSession(isEnded ? { type: 'none', isEnded } : NONE);
  forgetPlaygroundKey();
}

/** The gateway does not say who is signed in: what the tab keeps is still its user's, who may be found again. */
export function awaitSession(): void {
  if (store.getState().type !== 'host') setSession(NONE);
}

/** Where a tab keeps what its playground calls as, which may be a key that was typed: it goes with its user. */
export const PLAYGROUND_KEY = 'model-gateway.playground-key';

/** Also where the playground, which has the key too, was not opened since the page was loaded. */
export function forgetPlaygroundKey(): void {
  try {
    globalThis.sessionStorage?.removeItem(PLAYGROUND_KEY);
  } catch {
    // Forbidden: nothing is kept.
  }
}

onUserLeft(forgetPlaygroundKey);

/** Headers that a call requires beside the cookie. */
export function toSessionHeaders(session: Session, method: string): Record<string, string> {
  return session.type === 'cookie' && method !== 'GET' ? { 'x-csrf-token': session.csrfToken } : {};
}

/** Whether those who are signed in may perform an operation of the gateway, at least with what is theirs. */
export function may(operation: string): boolean {
  const session = store.getState();
  return session.type === 'none' || session.operations === undefined || session.operations.has(operation);
}

/**
 * Loads what the role permits, and else has this at once: screens show it beside what is theirs, and are to be whole
 * without it.
 */
export const ifPermitted =
  <Context, Value>(operation: string, load: (context: Context) => Promise<Value>, otherwise: NoInfer<Value>) =>
  (context: Context): Promise<Value> =>
    may(operation) ? load(context) : Promise.resolve(otherwise);

/** Whether those who are signed in reach everything: the operator, owners and administrators. */
export function administers(): boolean {
  const session = store.getState();
  return session.type === 'none' || session.role === undefined || ['owner', 'administrator'].includes(session.role);
}

/** Whether those who are signed in may do what owners may: the operator, and owners. */
export function actsAsOwner(): boolean {
  const session = store.getState();
  return session.type === 'none' || session.role === undefined || session.role === 'owner';
}
