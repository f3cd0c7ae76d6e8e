import { createRandomId, createWebPlatform, type Platform } from '../../foundation/platform.ts';
import type { AuditRecord } from '../../wire/audit.ts';
import type { AuditEntry, AuditRepository, StoredAuditRecord } from '../audit.ts';
import { chainRecords, EMPTY_CHAIN, requireFollowing, toAnchorEntry, toAuditPage } from './audit-chain.ts';

/** So many are kept, to within a tenth. */
const MAX_RECORDS = 10_000;

/** Keeps the audit log in memory: the latest records alone. */
export function createMemoryAudit(
  platform: Pick<Platform, 'sha256' | 'randomBytes' | 'now'> = createWebPlatform(),
  maxRecords = MAX_RECORDS,
): AuditRepository {
  let records: readonly AuditRecord[] = [];

  const append = async (entries: readonly AuditEntry[]): Promise<readonly AuditRecord[]> => {
    // Not one after the other by promises, which may end with the request that they belong to: who comes first, wins.
    for (;;) {
      const last = records.at(-1);
      const made = await chainRecords(last ?? EMPTY_CHAIN, entries, platform.sha256);
      if (records.at(-1) !== last) continue;
      records = [...records, ...made];
      return made;
    }
  };
  const dropFirst = async (count: number): Promise<number> => {
    const last = records[count - 1];
    if (last === undefined) return 0;
    await append([toAnchorEntry(last, createRandomId(platform), platform.now())]);
    records = records.filter(({ sequence }) => sequence > last.sequence);
    return count;
  };
  return {
    async append(entries) {
      const made = await append(entries);
      if (records.length > maxRecords * 1.1) await dropFirst(records.length - maxRecords);
      return made;
    },
    async adopt(adopted) {
      requireFollowing(records.at(-1) ?? EMPTY_CHAIN, adopted);
      records = [...records, ...adopted];
    },
    page: (query) => toAuditPage(records.toReversed(), query),
    async *read(): AsyncGenerator<StoredAuditRecord> {
      for (const record of records)
        yield { text: JSON.stringify(record), place: `record ${record.sequence} in memory`, isDamaged: false };
    },
    dropBefore(timeMs) {
      const kept = records.findIndex(({ at }) => Date.parse(at) >= timeMs);
      return dropFirst(kept === -1 ? records.length - 1 : kept);
    },
  };
}
