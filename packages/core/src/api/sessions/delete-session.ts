import { refuseForged } from '../../auth/authenticate.ts';
import { toSessionCookie } from '../../auth/sessions.ts';
import { publicOperation } from '../../http/operation.ts';
import { sessionResponseSchema } from '../../wire/keys.ts';
import type { SessionParts } from './session-parts.ts';

/** `DELETE /admin/v1/session`: signs out. It succeeds also without a session. */
export const deleteSession = publicOperation<SessionParts>()({
  response: sessionResponseSchema,
  responseHeaders: { 'set-cookie': 'Ends the session' },
  async run({ request, parts: { sessions }, responseHeaders }) {
    const session = await sessions?.find(request);
    if (session !== undefined) {
      refuseForged(request, session);
      await sessions?.close(session);
    }
    responseHeaders['set-cookie'] = toSessionCookie(null, request.baseUrl);
    return { data: { signed_in: false } };
  },
});
