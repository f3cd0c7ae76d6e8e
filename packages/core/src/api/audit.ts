import type { AuditTrail } from '../audit/audit-trail.ts';
import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import type { AuditFilter, AuditRecord } from '../stores/audit.ts';
import { auditExportQuerySchema, auditListSchema, auditQuerySchema, auditRecordSchema } from '../wire/audit.ts';

export interface AuditParts {
  /** Null where the store keeps no audit log. */
  readonly audit: AuditTrail | null;
}

/** `GET /admin/v1/audit` */
export const listAudit = operation<AuditParts>()({
  query: auditQuerySchema,
  response: auditListSchema,
  errors: ['not_found'],
  find: ({ parts }) => requireTrail(parts),
  async run({ query: { limit, cursor, ...query }, found: trail }) {
    await trail.settled();
    const before = cursor === undefined ? undefined : Number(cursor);
    const { records, next } = await trail.repository.page({ filter: toAuditFilter(query), limit, before });
    return { data: records, next: next === null ? null : String(next) };
  },
});

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** `GET /admin/v1/audit/export`: newest first. JSON lines have whole records, so that their chain can be checked. */
export const exportAudit = operation<AuditParts>()({
  query: auditExportQuerySchema,
  response: { mediaTypes: { 'application/x-ndjson': auditRecordSchema, 'text/csv': null } },
  responseHeaders: { 'content-disposition': 'The name of the file', 'cache-control': '`no-store`' },
  errors: ['not_found'],
  find: ({ parts }) => requireTrail(parts),
  async run({ request, query: { format, ...query }, found: trail }) {
    await trail.settled();
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="audit.${format}"`,
        'cache-control': 'no-store',
      },
      body: writeAudit(trail, { filter: toAuditFilter(query), format, signal: request.signal }),
    };
  },
});

function requireTrail({ audit }: AuditParts): AuditTrail {
  if (audit === null) throw new GatewayError('not_found', 'The store of this gateway keeps no audit log');
  return audit;
}

type AuditFilterQuery = Omit<AuditFilter, 'fromMs' | 'toMs'> & {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

function toAuditFilter({ from, to, ...filter }: AuditFilterQuery): AuditFilter {
  return {
    ...filter,
    fromMs: from === undefined ? undefined : Date.parse(from),
    toMs: to === undefined ? undefined : Date.parse(to),
  };
}

interface AuditExport {
  readonly filter: AuditFilter;
  readonly format: keyof typeof TYPES;
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 200;
const encoder = new TextEncoder();

async function* writeAudit(
  { repository }: AuditTrail,
  { filter, format, signal }: AuditExport,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield encoder.encode(`${COLUMNS.map(([name]) => name).join(',')}\r\n`);
  const toLine = format === 'csv' ? toAuditCsvLine : toAuditJsonLine;
  let before: number | undefined;
  do {
    const { records, next } = await repository.page({ filter, limit: PAGE_SIZE, before });
    if (records.length > 0) yield encoder.encode(records.map(toLine).join(''));
    before = next ?? undefined;
  } while (before !== undefined && !signal.aborted);
}

const toAuditJsonLine = (record: AuditRecord): string => `${JSON.stringify(record)}\n`;

/** The columns of CSV, in this order. */
const COLUMNS: readonly (readonly [name: string, read: (record: AuditRecord) => unknown])[] = [
  ['sequence', ({ sequence }) => sequence],
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['count', ({ count }) => count],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_member', ({ actor }) => actor.member],
  ['address', ({ from }) => from.address],
  ['user_agent', ({ from }) => from.user_agent],
  ['target_kind', ({ target }) => target.kind],
  ['target_id', ({ target }) => target.id],
  ['target_name', ({ target }) => target.name],
  ['workspace', ({ target }) => target.workspace],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
  ['id', ({ id }) => id],
  ['hash', ({ hash }) => hash],
];

const toAuditCsvLine = (record: AuditRecord): string =>
  `${COLUMNS.map(([, read]) => toCsvField(read(record))).join(',')}\r\n`;

function toCsvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  // Callers choose some of these texts, and a spreadsheet would take one of this kind for a formula.
  const text = /^[=+\-@\t\r]/.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
