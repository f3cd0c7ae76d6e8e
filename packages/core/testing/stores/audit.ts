import {
  type AuditEntry,
  type AuditRepository,
  createMemoryAudit,
  createWebPlatform,
  EMPTY_CHAIN,
  type Store,
  verifyChain,
} from '@model-gateway/core';

import { expectEqual, expectMatch, expectThat } from '../contract-case.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

const { sha256 } = createWebPlatform();

function toEntry(id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id,
    at: new Date().toISOString(),
    action: 'key.update',
    actor: { kind: 'key', id: 'abc', name: 'Admin "%_\\', member: null, key: 'abc' },
    from: { address: '203.0.113.7', user_agent: null },
    target: { kind: 'key', id, name: `Key ${id}`, workspace: 'default' },
    before: { limitUsd: 5, nested: { b: 1, a: [null, 0.1, '\u0000 \ud800 ü'] } },
    after: { limitUsd: null },
    outcome: 'done',
    reason: null,
    count: 1,
    ...more,
  };
}

const logOf = ({ audit }: Store): AuditRepository => {
  expectThat(audit !== undefined, 'the store has an audit log');
  return audit;
};

const append = async (store: Store, ...ids: readonly string[]): Promise<void> => {
  await logOf(store).append(ids.map((id) => toEntry(id)));
};

async function verify(store: Store): Promise<unknown> {
  const { count, problem } = await verifyChain(logOf(store).read(), sha256);
  return { count, problem };
}

export const auditCases: readonly StoreCase[] = [
  storeCase(
    'A log takes over the chain of another store where it has none, goes on with it, and refuses what does not follow',
    async (store) => {
      const log = logOf(store);
      if (log.adopt === undefined) return;
      const other = createMemoryAudit();
      const old = new Date(Date.now() - 3 * 86_400_000).toISOString();
      await other.append([toEntry('a', { at: old }), toEntry('b'), toEntry('c')]);
      await other.dropBefore(Date.parse(old) + 1000);
      const records = (await other.page({ filter: {}, limit: 10 })).records.toReversed();
      await log.adopt(records.slice(0, 1));
      await log.adopt(records.slice(1));
      await append(store, 'd');
      expectEqual(await verify(store), { count: 4, problem: null });
      const page = await log.page({ filter: {}, limit: 10 });
      expectEqual(page.records.slice(1), records.toReversed());
      const refused = await log.adopt(records).catch((error: unknown) => String(error));
      expectMatch({ refused }, { refused: 'Error: Record 2 does not follow the end of the audit log' });
      expectEqual(await verify(store), { count: 4, problem: null });
    },
    'audit',
  ),
  storeCase(
    'A store keeps an audit log, in which each record has the hash of the one before',
    async (store) => {
      const [first] = await logOf(store).append([toEntry('a')]);
      const [second, third] = await logOf(store).append([toEntry('b'), toEntry('c')]);
      expectMatch(first, { ...toEntry('a'), at: first?.at, sequence: 1, previous_hash: EMPTY_CHAIN.hash });
      expectMatch(second, { sequence: 2, previous_hash: first?.hash });
      const { records, next } = await logOf(store).page({ filter: {}, limit: 10 });
      expectEqual(records, [third, second, first]);
      expectEqual(next, null);
      expectEqual(await verify(store), { count: 3, problem: null });
    },
    'audit',
  ),

  storeCase(
    'A store appends to one chain what comes at the same time',
    async (store) => {
      await Promise.all(Array.from({ length: 20 }, (_, at) => append(store, `a${at}`, `b${at}`)));
      expectEqual(await verify(store), { count: 40, problem: null });
    },
    'audit',
  ),

  storeCase(
    'A store finds records of the audit log by what they say, a page at a time',
    async (store) => {
      const log = logOf(store);
      await log.append([
        toEntry('a', { action: 'key.create', at: '2026-03-01T10:00:00.000Z' }),
        toEntry('b', { actor: { ...toEntry('b').actor, kind: 'session', id: 's1', key: 'k9', member: 'mo' } }),
        toEntry('c', { outcome: 'refused', reason: 'permission_denied', count: 7 }),
        toEntry('d', { target: { kind: 'member', id: 'm1', name: null, workspace: null }, action: 'member.delete' }),
        toEntry('e', { after: { note: 'Straße "%_\\ é' } }),
      ]);
      const find = async (filter: Parameters<AuditRepository['page']>[0]['filter']): Promise<string[]> =>
        (await log.page({ filter, limit: 10 })).records.map(({ id }) => id);
      expectEqual(await find({ action: 'key' }), ['e', 'c', 'b', 'a']);
      expectEqual(await find({ action: 'key.create' }), ['a']);
      expectEqual(await find({ action: 'ke' }), []);
      for (const actor of ['s1', 'k9', 'mo']) expectEqual(await find({ actor }), ['b']);
      expectEqual(await find({ actor: 'admin "%' }), ['e', 'd', 'c', 'b', 'a']);
      expectEqual(await find({ actor: 'admin %' }), []);
      expectEqual(await find({ target: 'm1' }), ['d']);
      expectEqual(await find({ target: 'KEY B' }), ['b']);
      expectEqual(await find({ outcome: 'refused' }), ['c']);
      expectEqual(await find({ workspace: 'default', action: 'key', text: '"%_\\ É' }), ['e']);
      expectEqual(await find({ text: '_%' }), []);
      expectEqual(await find({ toMs: Date.parse('2026-03-01T10:00:00.000Z') }), ['a']);
      expectEqual(await find({ fromMs: Date.parse('2026-03-01T10:00:00.001Z'), action: 'key' }), ['e', 'c', 'b']);
      for (const id of ODD_NAMES) expectEqual(await find({ target: `${id}?` }), []);
      const first = await log.page({ filter: { action: 'key' }, limit: 2 });
      expectEqual(
        first.records.map(({ id }) => id),
        ['e', 'c'],
      );
      const rest = await log.page({ filter: { action: 'key' }, limit: 2, before: first.next ?? 0 });
      expectEqual([rest.records.map(({ id }) => id), rest.next], [['b', 'a'], null]);
    },
    'audit',
  ),

  storeCase(
    'A store drops no record of the audit log before its time, and never the last one',
    async (store) => {
      await append(store, 'a', 'b');
      expectEqual(await logOf(store).dropBefore(0), 0);
      await logOf(store).dropBefore(Date.now() + 1000);
      const { records } = await logOf(store).page({ filter: {}, limit: 10 });
      expectThat(
        records.some(({ id }) => id === 'b'),
        'the last record is still there',
      );
      expectMatch(await verify(store), { problem: null });
    },
    'audit',
  ),

  durableStoreCase(
    'A store goes on with the same chain when it is opened again',
    async (store, reopen) => {
      await append(store, 'a', 'b');
      store = await reopen();
      await append(store, 'c');
      store = await reopen();
      expectEqual(await verify(store), { count: 3, problem: null });
      const { records } = await logOf(store).page({ filter: {}, limit: 10 });
      expectEqual(
        records.map(({ id, sequence }) => [id, sequence]),
        [
          ['c', 3],
          ['b', 2],
          ['a', 1],
        ],
      );
    },
    'audit',
  ),
];
