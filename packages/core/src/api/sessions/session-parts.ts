import type { AuthenticateCaller } from '../../auth/authenticate.ts';
import type { Sessions } from '../../auth/sessions.ts';

export interface SessionParts {
  readonly authenticate: AuthenticateCaller;
  /** Sessions of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
  /** Whether anybody may sign in with a key that the sign-in page knows. */
  readonly hasPublicKey: boolean;
}
