import { operation } from '../http/operation.ts';
import { type KeptDays, toAuditDays, toKeptDays } from '../stores/kept-days.ts';
import type { Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import {
  type Retention,
  retentionQuerySchema,
  retentionRequestSchema,
  retentionResponseSchema,
} from '../wire/retention.ts';

export interface RetentionParts {
  readonly store: Pick<Store, 'audit' | 'retention' | 'settings'>;
}

/** `GET /admin/v1/retention`: how long is kept, and what those limits, or others, would delete now. */
export const getRetention = operation<RetentionParts>()({
  query: retentionQuerySchema,
  response: retentionResponseSchema,
  run: async ({ parts, query: { days, content_days: contentDays } }) => {
    const stored = parts.store.settings.get().retention;
    if (days === undefined && contentDays === undefined) return { data: await describeRetention(parts, stored) };
    const tried = { ...stored, days: days ?? stored?.days ?? null, content_days: contentDays ?? null };
    refuseLongerContents(tried, parts.store.retention?.changes?.configuredDays ?? Number.POSITIVE_INFINITY);
    return { data: await describeRetention(parts, tried) };
  },
});

/** `PUT /admin/v1/retention`: applies at once, and in every process at the store within the hour. */
export const putRetention = operation<RetentionParts>()({
  body: retentionRequestSchema,
  response: retentionResponseSchema,
  async run({ parts, body }) {
    const { store } = parts;
    const changes = store.retention?.changes;
    const audit = store.audit?.retention;
    const isByAge = changes !== undefined && Number.isFinite(changes.configuredDays);
    if (!isByAge && (audit === undefined || body.days !== null || body.content_days !== null)) {
      throw refuseField('days', NOT_BY_AGE);
    }
    if (audit === undefined && (body.audit_days ?? null) !== null) throw refuseField('audit_days', NOT_BY_AGE);
    if (changes !== undefined) refuseLongerContents(body, changes.configuredDays);
    await store.settings.update(({ retention: before, ...settings }) => {
      const { days, content_days, audit_days = before?.audit_days ?? null } = body;
      const isReset = days === null && content_days === null && audit_days === null;
      return isReset ? settings : { ...settings, retention: { days, content_days, audit_days } };
    });
    await changes?.apply();
    await audit?.apply();
    return { data: await describeRetention(parts, store.settings.get().retention) };
  },
});

const NOT_BY_AGE = 'cannot be set: the store of this gateway deletes nothing for its age';

function refuseLongerContents({ days, content_days: contentDays }: Retention['stored'], configuredDays: number): void {
  const most = days ?? configuredDays;
  if (contentDays === null || contentDays <= most) return;
  throw refuseField('content_days', `must be at most ${most}, for which the records are kept`);
}

type Stored = Retention['stored'] | undefined;

async function describeRetention({ store }: RetentionParts, tried: Stored): Promise<Retention> {
  const { retention, settings, audit } = store;
  const auditDays = audit?.retention?.configuredDays ?? Number.POSITIVE_INFINITY;
  const { retention: stored } = settings.get();
  const configuredDays = retention?.changes?.configuredDays ?? Number.POSITIVE_INFINITY;
  const kept = toKeptDays({ retention: stored }, configuredDays);
  const losses = await retention?.changes?.preview(toKeptDays({ retention: tried }, configuredDays));
  return {
    days: toDays(kept.days),
    content_days: toDays(kept.contentDays),
    stored: { days: null, content_days: null, audit_days: null, ...stored },
    audit_days: toDays(toAuditDays({ retention: stored }, auditDays)),
    configured_audit_days: toDays(auditDays),
    configured_days: toDays(configuredDays),
    changeable: Number.isFinite(configuredDays),
    held: retention?.isHeld() ?? false,
    would_delete: losses
      ? { generations: losses.generations, contents: losses.contents, content_bytes: losses.contentBytes }
      : null,
  };
}

/** Without a limit null. */
const toDays = (days: KeptDays['days']): number | null => (Number.isFinite(days) ? days : null);
