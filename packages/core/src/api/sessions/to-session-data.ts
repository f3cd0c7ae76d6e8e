import type { Session } from '../../auth/session-keep.ts';
import type { SessionData } from '../../wire/keys.ts';

/** A session as its browser sees it. */
export function toSessionData({ name, csrfToken, expiresAtMs }: Session): SessionData {
  return { signed_in: true, name, csrf_token: csrfToken, expires_at: new Date(expiresAtMs).toISOString() };
}
