import type { Platform } from '../../foundation/platform.ts';
import { auditRecordSchema, type AuditEntry, type AuditRecord } from '../../wire/audit.ts';
import type { AuditFilter, AuditPage, AuditQuery, StoredAuditRecord } from '../audit.ts';

/** The end of a chain: what the next record follows. */
export type AuditHead = Pick<AuditRecord, 'sequence' | 'hash'>;

/** Before the first record. */
export const EMPTY_CHAIN: AuditHead = { sequence: 0, hash: '0'.repeat(64) };

/** The action of the record that is left of records that were dropped. */
const ANCHOR_ACTION = 'audit.drop';

/** Puts entries behind the end of a chain. */
export async function chainRecords(
  head: AuditHead,
  entries: readonly AuditEntry[],
  sha256: Platform['sha256'],
): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  let last = head;
  for (const entry of entries) {
    // As it will be read again: without what JSON does not have.
    const plain = JSON.parse(JSON.stringify(entry)) as AuditEntry;
    const unsealed = { ...plain, sequence: last.sequence + 1, previous_hash: last.hash };
    const record = { ...unsealed, hash: await sha256(toCanonicalJson(unsealed)) };
    records.push(record);
    last = record;
  }
  return records;
}

/** Throws unless records go on with a chain from its end; an empty chain may begin with any. */
export function requireFollowing(head: AuditHead, records: readonly AuditRecord[]): void {
  let last = head.sequence === 0 ? undefined : head;
  for (const record of records) {
    const isNext = last === undefined || (record.sequence === last.sequence + 1 && record.previous_hash === last.hash);
    if (!isNext) throw new Error(`Record ${record.sequence} does not follow the end of the audit log`);
    last = record;
  }
}

/** JSON with the fields of every object in the order of their names, so that one value has one text. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${toCanonicalJson(item)}`).join(',')}}`;
}

/** The entry that stands for dropped records: the chain is checked from there on. `last` is the newest of them. */
export function toAnchorEntry(last: AuditHead, id: string, nowMs: number): AuditEntry {
  return {
    id,
    at: new Date(nowMs).toISOString(),
    action: ANCHOR_ACTION,
    actor: { kind: 'config', id: null, name: 'audit.retentionDays', member: null, key: null },
    from: { address: null, user_agent: null },
    target: { kind: 'audit', id: String(last.sequence), name: null, workspace: null },
    before: null,
    after: { through: last.sequence, hash: last.hash },
    outcome: 'done',
    reason: null,
    count: 1,
  };
}

/** What is wrong with the first bad record. */
export interface AuditProblem {
  readonly kind: 'unreadable' | 'changed' | 'missing' | 'broken' | 'beginning';
  /** The place in the chain, as far as the record says one. */
  readonly sequence: number | null;
  readonly id: string | null;
  readonly at: string | null;
  readonly place: string;
}

export interface AuditVerification {
  /** Good records, up to the first bad one. */
  readonly count: number;
  readonly first: AuditHead | null;
  /** The last good record. */
  readonly last: AuditHead | null;
  readonly problem: AuditProblem | null;
}

/**
 * Checks a chain from its beginning, and stops at the first bad record: one that cannot be read, was changed, does not
 * follow the one before, or before which others are missing that no record of retention has dropped.
 */
export async function verifyChain(
  stored: AsyncIterable<StoredAuditRecord>,
  sha256: Platform['sha256'],
): Promise<AuditVerification> {
  let count = 0;
  let first: { readonly record: AuditRecord; readonly place: string } | undefined;
  let last: AuditHead | undefined;
  /** How far records were dropped on purpose. */
  const anchors: AuditHead[] = [];
  const end = (problem: AuditProblem | null): AuditVerification => ({
    count,
    first: first === undefined ? null : toHead(first.record),
    last: last ?? null,
    problem,
  });
  for await (const { text, place, isDamaged } of stored) {
    const record = parseRecord(text);
    const problem = (kind: AuditProblem['kind']): AuditVerification =>
      end({ kind, sequence: record?.sequence ?? null, id: record?.id ?? null, at: record?.at ?? null, place });
    if (record === undefined) return problem('unreadable');
    const { hash, ...unsealed } = record;
    if (isDamaged || (await sha256(toCanonicalJson(unsealed))) !== hash) return problem('changed');
    if (last !== undefined && record.sequence !== last.sequence + 1) return problem('missing');
    if (last !== undefined && record.previous_hash !== last.hash) return problem('broken');
    first ??= { record, place };
    const anchor = toAnchor(record);
    if (anchor !== undefined) anchors.push(anchor);
    last = toHead(record);
    count += 1;
  }
  if (first === undefined || isBeginning(first.record, anchors)) return end(null);
  const { id, at, sequence } = first.record;
  return end({ kind: 'beginning', sequence, id, at, place: first.place });
}

const toHead = ({ sequence, hash }: AuditRecord): AuditHead => ({ sequence, hash });

/** The fields and no others are read, so that a field which somebody has added is noticed, too. */
function parseRecord(text: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return auditRecordSchema.safeParse(value).success ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}

function toAnchor({ action, after }: AuditRecord): AuditHead | undefined {
  if (action !== ANCHOR_ACTION) return undefined;
  const { through, hash } = after ?? {};
  return typeof through === 'number' && typeof hash === 'string' ? { sequence: through, hash } : undefined;
}

/** A crash may have come between the record of retention and the end of the dropping: then less is gone than it says. */
function isBeginning({ sequence, previous_hash }: AuditRecord, anchors: readonly AuditHead[]): boolean {
  if (sequence === 1) return previous_hash === EMPTY_CHAIN.hash;
  return anchors.some((anchor) =>
    anchor.sequence === sequence - 1 ? anchor.hash === previous_hash : anchor.sequence >= sequence,
  );
}

/** Whether a record is looked for. */
export function matchesAudit(record: AuditRecord, filter: AuditFilter): boolean {
  const { action, actor, target, workspace, outcome, text, fromMs, toMs } = filter;
  const atMs = Date.parse(record.at);
  return (
    (action === undefined || record.action === action || record.action.startsWith(`${action}.`)) &&
    (actor === undefined || isNamed(actor, [record.actor.id, record.actor.key, record.actor.member], record.actor)) &&
    (target === undefined || isNamed(target, [record.target.id], record.target)) &&
    (workspace === undefined || record.target.workspace === workspace) &&
    (outcome === undefined || record.outcome === outcome) &&
    (fromMs === undefined || atMs >= fromMs) &&
    (toMs === undefined || atMs <= toMs) &&
    (text === undefined || includesText(JSON.stringify(record), JSON.stringify(text).slice(1, -1)))
  );
}

const isNamed = (asked: string, ids: readonly (string | null)[], { name }: { readonly name: string | null }): boolean =>
  ids.includes(asked) || (name !== null && includesText(name, asked));

const includesText = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase());

/** Picks a page from records that come newest first. */
export async function toAuditPage(
  newestFirst: AsyncIterable<AuditRecord> | Iterable<AuditRecord>,
  { filter, limit, before }: AuditQuery,
): Promise<AuditPage> {
  const records: AuditRecord[] = [];
  for await (const record of newestFirst) {
    if (before !== undefined && record.sequence >= before) continue;
    if (!matchesAudit(record, filter)) continue;
    if (records.length === limit) return { records, next: records.at(-1)?.sequence ?? null };
    records.push(record);
  }
  return { records, next: null };
}
