import type { Authenticate } from '../../auth/authenticate.ts';
import type { Sessions } from '../../auth/sessions.ts';

/** What the operations on sessions use of a gateway. */
export interface SessionParts {
  readonly authenticate: Authenticate;
  /** Of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
}
