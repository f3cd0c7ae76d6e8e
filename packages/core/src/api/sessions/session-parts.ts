import type { AuthenticateCaller } from '../../auth/authenticate.ts';
import type { Sessions } from '../../auth/sessions.ts';

export interface SessionParts {
  readonly authenticate: AuthenticateCaller;
  /** Sessions of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
}
