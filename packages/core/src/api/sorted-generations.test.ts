import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2, 2, minute)).toISOString();

/** Calls `gen-0` to `gen-4`, one a minute, of these costs in nano-dollars. */
async function setUp(costs: readonly number[] = [300, 100, 500, 100, 200]) {
  const gateway = createAdminGateway();
  const append = (index: number, costNanoUsd: number) =>
    gateway.store.generations.append(
      toRecord(`gen-${index}`, { costNanoUsd, generation: { created_at: at(index) } }),
      toContent('Hello'),
    );
  for (const [index, cost] of costs.entries()) await append(index, cost);
  const list = async (query: string) => {
    const { status, body } = await gateway.call('GET', `/admin/v1/generations?${query}`);
    const { data = [], next_cursor: next } = body as { data?: { id: string }[]; next_cursor: string | null };
    return { status, body, ids: data.map(({ id }) => id.replace('gen-', '')).join(' '), next };
  };
  return { ...gateway, append, list };
}

test('sorts the list in either order, the dearest first by default', async () => {
  const { list } = await setUp();
  expect((await list('sort=cost')).ids).toBe('2 0 4 3 1');
  expect((await list('sort=cost&order=asc')).ids).toBe('3 1 4 0 2');
  expect((await list('sort=time&order=asc')).ids).toBe('0 1 2 3 4');
  expect((await list('sort=time')).ids).toBe('4 3 2 1 0');
  expect((await list('order=desc')).ids).toBe('4 3 2 1 0');
  expect((await list('order=asc')).ids).toBe('0 1 2 3 4');
});

test('pages through a sorted list while calls are added, each once', async () => {
  const { list, append } = await setUp();
  const first = await list('sort=cost&limit=2');
  expect(first.ids).toBe('2 0');
  await append(5, 900);
  await append(6, 150);
  const second = await list(`sort=cost&limit=2&cursor=${first.next}`);
  expect(second.ids).toBe('4 6');
  const third = await list(`sort=cost&limit=2&cursor=${second.next}`);
  expect(third).toMatchObject({ ids: '3 1', next: null });
});

test('sorts what a filter leaves, and says how many there are only where it leaves all', async () => {
  const { list } = await setUp();
  const narrowed = await list(`sort=cost&from=${at(1)}&max_cost=0.0000004`);
  expect(narrowed.ids).toBe('4 3 1');
  expect(narrowed.body).not.toHaveProperty('total_estimate');
  expect((await list('sort=cost')).body).toMatchObject({ total_estimate: 5 });
});

test('refuses to sort what is searched by text or named by id, and places of another order', async () => {
  const { list } = await setUp();
  const issueOf = async (query: string) => {
    const { status, body } = await list(query);
    const { issues } = (body as { error: { metadata: { issues: unknown[] } } }).error.metadata;
    return [status, issues[0]];
  };
  expect(await issueOf('sort=cost&text=Hello')).toEqual([
    400,
    { path: 'sort', message: 'cannot be given together with text: text is searched from the newest call backwards' },
  ]);
  expect(await issueOf('sort=cost&id=gen-1')).toMatchObject([400, { path: 'id' }]);
  expect(await issueOf('sort=weight')).toMatchObject([400, { path: 'sort' }]);
  expect(await issueOf('sort=cost&order=up')).toMatchObject([400, { path: 'order' }]);
  const { next } = await list('sort=cost&limit=2');
  const wrong = { path: 'cursor', message: 'must be next_cursor of another page of the same sort and order' };
  for (const query of [`sort=cost&order=asc&cursor=${next}`, `sort=model&cursor=${next}`]) {
    expect(await issueOf(query)).toEqual([400, wrong]);
  }
  const plain = await list('limit=2');
  expect(await issueOf(`sort=cost&cursor=${plain.next}`)).toEqual([400, wrong]);
  expect(await issueOf('sort=cost&cursor=%25%25')).toEqual([400, wrong]);
  expect(await issueOf(`cursor=${next}`)).toEqual([
    400,
    { path: 'cursor', message: 'must be next_cursor of another page' },
  ]);
});
