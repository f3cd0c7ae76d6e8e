import { type ActivityRange, summariseActivity } from '../../generations/activity.ts';
import { operation } from '../../http/operation.ts';
import { refuseField } from '../../wire/fields.ts';
import { activityListSchema, type ActivityQuery, activityQuerySchema } from '../../wire/generation-list.ts';
import { toCompleteFrom } from '../generations/searched-from.ts';
import type { AccountParts } from './account-parts.ts';

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `GET /activity`: the last 30 days and the present one so far, a row for each day, model and endpoint; newest first. */
export const getActivity = operation<AccountParts>()({
  query: activityQuerySchema,
  response: activityListSchema,
  async run({ parts, query }) {
    const since = dayAt(parts.platform.now() - DAYS * DAY_MS);
    const range = chooseRange(query.date, { first: since, last: dayAt(parts.platform.now()) });
    const hashes = await hashesOf(query, parts.store);
    const data = await summariseActivity(parts, {
      since,
      ...range,
      principalIds: hashes,
      workspaceId: query.workspace_id,
      byWorkspace: query.group_by === 'workspace',
    });
    const completeFromMs = await parts.store.generations.completeFromMs?.();
    return { data, ...toCompleteFrom(completeFromMs, Date.parse(range.first)) };
  },
});

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function chooseRange(date: string | undefined, { first, last }: ActivityRange): ActivityRange {
  if (date === undefined) return { first, last };
  if (date >= first && date <= last) return { first: date, last: date };
  throw refuseField('date', `must be within the last ${DAYS} days, from ${first} to ${last}`);
}

/** Returns the hashes of the keys in question; undefined for all keys. For a member: the keys that still exist. */
async function hashesOf(
  { api_key_hash: hash, user_id: userId }: Pick<ActivityQuery, 'api_key_hash' | 'user_id'>,
  { keys }: AccountParts['store'],
): Promise<ReadonlySet<string> | undefined> {
  if (userId === undefined) return hash === undefined ? undefined : new Set([hash]);
  const ofMember = (await keys.list()).filter(({ creatorUserId }) => creatorUserId === userId);
  return new Set(ofMember.flatMap((key) => (hash === undefined || key.hash === hash ? [key.hash] : [])));
}
