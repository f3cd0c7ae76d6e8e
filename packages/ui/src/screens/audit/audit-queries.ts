import type { AuditList, AuditRecord } from '@model-gateway/core/wire';
import { infiniteQueryOptions } from '@tanstack/react-query';

import { callApi, openApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { saveFile } from '../../parts/save-file.ts';
import type { AuditSearch } from './audit-search.ts';

const PAGE = 100;
const EVERY_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** From the beginning of the hour, so that the query stays the same for a while. */
function toFrom(days: string | undefined): string | undefined {
  const count = Number(days);
  if (!Number.isFinite(count) || count <= 0) return undefined;
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  return new Date(hour - count * DAY_MS).toISOString();
}

const toQuery = ({ q: text, kind: action, outcome, days }: AuditSearch) => ({
  text,
  action,
  outcome,
  from: toFrom(days),
});

/** The records that match, newest first. */
export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', toQuery(search)],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi<AuditList>('/admin/v1/audit', { query: { ...toQuery(search), cursor, limit: PAGE }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: AuditList) => next ?? undefined,
    refetchInterval: refreshEvery(EVERY_MS),
  });

/** Saves the records that match on the user's disk; resolves with how many bytes they take. Throws `ApiError`. */
export async function downloadAudit(search: AuditSearch, format: 'ndjson' | 'csv'): Promise<number> {
  const query = { ...toQuery(search), format };
  const file = await (await openApi('/admin/v1/audit/export', { query })).blob();
  saveFile(`audit.${format}`, file);
  return file.size;
}

/** A field that differs: what it was and what it is, as texts; null where there was or is none. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields of a record's before and after, with the path of each that is inside of others. */
export function toFieldChanges({ before, after }: Pick<AuditRecord, 'before' | 'after'>): readonly FieldChange[] {
  const was = new Map(flatten(before ?? {}));
  const is = new Map(flatten(after ?? {}));
  return [...new Set([...was.keys(), ...is.keys()])].map((field) => ({
    field,
    before: was.get(field) ?? null,
    after: is.get(field) ?? null,
  }));
}

function flatten(fields: Readonly<Record<string, unknown>>, path = ''): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = path === '' ? name : `${path}.${name}`;
    const isFields = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isFields && Object.keys(value).length > 0) return flatten(value as Readonly<Record<string, unknown>>, field);
    return [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const];
  });
}
