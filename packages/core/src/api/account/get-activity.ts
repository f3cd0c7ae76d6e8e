import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type ActivityRange, summariseActivity } from '../../generations/read/summarise-activity.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { type ActivityQuery, activityQuerySchema } from '../../wire/generations/activity.ts';
import { readQuery } from '../../wire/page-query.ts';

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `GET /activity`: the last 30 days and the present one so far, a row for each day, model and endpoint; newest first. */
export async function getActivity({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(activityQuerySchema, request.query);
  const since = dayAt(runtime.platform.now() - DAYS * DAY_MS);
  const range = chooseRange(query.date, { first: since, last: dayAt(runtime.platform.now()) });
  const hashes = await hashesOf(query, runtime.store);
  const data = await summariseActivity(runtime, {
    since,
    ...range,
    principalIds: hashes,
    workspaceId: query.workspace_id,
    byWorkspace: query.group_by === 'workspace',
  });
  return toJsonResponse(200, { data });
}

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function chooseRange(date: string | undefined, { first, last }: ActivityRange): ActivityRange {
  if (date === undefined) return { first, last };
  if (date >= first && date <= last) return { first: date, last: date };
  throw new GatewayError('invalid_request', `date: must be within the last ${DAYS} days, from ${first} to ${last}`);
}

/** The keys that are asked for; undefined for all. Of a member, those that still exist. */
async function hashesOf(
  { api_key_hash: hash, user_id: userId }: Pick<ActivityQuery, 'api_key_hash' | 'user_id'>,
  { keys }: RequestContext['runtime']['store'],
): Promise<ReadonlySet<string> | undefined> {
  if (userId === undefined) return hash === undefined ? undefined : new Set([hash]);
  const ofMember = (await keys.list()).filter(({ creatorUserId }) => creatorUserId === userId);
  return new Set(ofMember.flatMap((key) => (hash === undefined || key.hash === hash ? [key.hash] : [])));
}
