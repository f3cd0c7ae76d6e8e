import type { AuditTrail } from '../audit/audit-trail.ts';
import { writeAudit } from '../audit/export-audit.ts';
import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import type { AuditFilter } from '../stores/audit.ts';
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
      body: writeAudit(trail.repository, { filter: toAuditFilter(query), format, signal: request.signal }),
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
