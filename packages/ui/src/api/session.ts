/**
 * Who this page is signed in as. What proves it is a cookie that no script can read; the page keeps the CSRF token
 * alone, which writes carry beside it. Nothing of it is stored.
 */
export type Session =
  /** With what went wrong when the page was opened by a link that signs in. */
  | { readonly type: 'none'; readonly linkError?: unknown }
  /** The desktop app, or a host with its own sign-in, vouches for the page. */
  | { readonly type: 'host'; readonly name: string }
  | { readonly type: 'cookie'; readonly name: string; readonly csrfToken: string; readonly expiresAt: string };

const NONE: Session = { type: 'none' };

let current: Session = NONE;
const listeners = new Set<() => void>();

/** The session as it is now; the same object until it changes. */
export const getSession = (): Session => current;

export function setSession(session: Session): void {
  current = session;
  for (const listener of listeners) listener();
}

/** Removes the session. When the host of the page authenticates the user, there is no sign-in to repeat. */
export function endSession(): void {
  if (current.type !== 'host') setSession(NONE);
}

/** Calls back after every change; the returned function ends that. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Headers that a call requires beside the cookie. */
export function toSessionHeaders(session: Session, method: string): Record<string, string> {
  return session.type === 'cookie' && method !== 'GET' ? { 'x-csrf-token': session.csrfToken } : {};
}
