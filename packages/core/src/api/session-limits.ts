import type { LiveAccount } from '../account/account.ts';
import { toShownSettings } from '../account/account.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import { trySessionLimits } from '../trials/try-session-limits.ts';
import {
  allowSessionRequestSchema,
  allowSessionResponseSchema,
  sessionLimitsResponseSchema,
  sessionTrialRequestSchema,
  sessionTrialResponseSchema,
  type StoppedSession,
} from '../wire/session-limits.ts';

interface SessionLimitParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'generations' | 'settings'>;
  readonly account: LiveAccount;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `GET /admin/v1/session-limits`: the limits in force, which `PATCH /admin/v1/settings` changes, and what has reached one. */
export const getSessionLimits = operation<SessionLimitParts>()({
  response: sessionLimitsResponseSchema,
  run: ({ parts }) => ({
    limits: toShownSettings(parts.account).sessions,
    data: [...(parts.store.settings.get().stopped_sessions ?? [])],
  }),
});

/** `POST /admin/v1/session-limits/allow`: a stopped session goes on, and its limits count from here. */
export const allowSession = operation<SessionLimitParts>()({
  body: allowSessionRequestSchema,
  response: allowSessionResponseSchema,
  errors: ['not_found'],
  async run({ parts: { store, platform }, body }) {
    const isAsked = (stopped: StoppedSession): boolean =>
      stopped.session_id === body.session_id && stopped.workspace_id === body.workspace_id;
    const allowedAt = new Date(platform.now()).toISOString();
    const settings = await store.settings.update((before) => ({
      ...before,
      stopped_sessions: before.stopped_sessions?.map((stopped) =>
        isAsked(stopped) ? { ...stopped, allowed_at: allowedAt } : stopped,
      ),
    }));
    const data = settings.stopped_sessions?.find(isAsked);
    if (data === undefined) throw new GatewayError('not_found', 'No stopped session has this id in this workspace');
    return { data };
  },
});

/** `POST /admin/v1/session-limits/trial`: what limits would have done to past sessions. */
export const trialSessionLimits = operation<SessionLimitParts>()({
  body: sessionTrialRequestSchema,
  response: sessionTrialResponseSchema,
  async run({ parts, body: { days, ...limits } }) {
    return { data: await trySessionLimits(parts.platform.now() - days * DAY_MS, limits, parts) };
  },
});
