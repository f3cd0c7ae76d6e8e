import { operation } from '../http/operation.ts';
import { type KeptDays, toKeptDays } from '../stores/kept-days.ts';
import type { Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import {
  type Retention,
  retentionQuerySchema,
  retentionRequestSchema,
  retentionResponseSchema,
} from '../wire/retention.ts';

export interface RetentionParts {
  readonly store: Pick<Store, 'retention' | 'settings'>;
}

/** `GET /admin/v1/retention`: how long is kept, and what those limits, or others, would delete now. */
export const getRetention = operation<RetentionParts>()({
  query: retentionQuerySchema,
  response: retentionResponseSchema,
  run: async ({ parts, query: { days, content_days: contentDays } }) => {
    const stored = parts.store.settings.get().retention;
    if (days === undefined && contentDays === undefined) return { data: await describeRetention(parts, stored) };
    const tried = { days: days ?? stored?.days ?? null, content_days: contentDays ?? null };
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
    if (changes === undefined || !Number.isFinite(changes.configuredDays)) throw refuseField('days', NOT_BY_AGE);
    refuseLongerContents(body, changes.configuredDays);
    const isReset = body.days === null && body.content_days === null;
    await store.settings.update(({ retention: _, ...settings }) =>
      isReset ? settings : { ...settings, retention: body },
    );
    await changes.apply();
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
  const { retention, settings } = store;
  const { retention: stored } = settings.get();
  const configuredDays = retention?.changes?.configuredDays ?? Number.POSITIVE_INFINITY;
  const kept = toKeptDays({ retention: stored }, configuredDays);
  const losses = await retention?.changes?.preview(toKeptDays({ retention: tried }, configuredDays));
  return {
    days: toDays(kept.days),
    content_days: toDays(kept.contentDays),
    stored: stored ?? { days: null, content_days: null },
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
