import type { AuditFilter, AuditRecord, AuditRepository } from '../stores/audit.ts';

interface AuditExport {
  readonly filter: AuditFilter;
  readonly format: 'ndjson' | 'csv';
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 200;
const encoder = new TextEncoder();

/** Writes the records that match, newest first, only as fast as they are read. */
export async function* writeAudit(
  repository: Pick<AuditRepository, 'page'>,
  { filter, format, signal }: AuditExport,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield encoder.encode(AUDIT_CSV_HEAD);
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

/** The first line of CSV. */
export const AUDIT_CSV_HEAD = `${COLUMNS.map(([name]) => name).join(',')}\r\n`;

export const toAuditCsvLine = (record: AuditRecord): string =>
  `${COLUMNS.map(([, read]) => toCsvField(read(record))).join(',')}\r\n`;

function toCsvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  // Callers choose some of these texts, and a spreadsheet would take one of this kind for a formula.
  const text = /^[=+\-@\t\r]/.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
