import { expect, test } from 'vitest';

import { describeEngine, describeProcess } from './instance-card.tsx';

test.each([
  [{ type: 'json', address: '/var/lib/gateway', database: null }, 'JSON files in /var/lib/gateway'],
  [{ type: 'memory', address: null, database: null }, 'memory, lost when the process ends null'],
  [
    { type: 'postgres', address: 'db.example:5432', database: 'gateway' },
    'PostgreSQL, database gateway at db.example:5432',
  ],
  [{ type: 'redis', address: 'redis.example:6379', database: null }, 'Redis at redis.example:6379'],
  [{ type: 'acme', address: 'eu-1', database: null }, 'acme eu-1'],
])('says of %o what and where it is', (engine, text) => {
  const { name, place } = describeEngine(engine);
  expect(`${name} ${place}`).toBe(text);
});

test('names a process by machine, number and worker, as far as they are told', () => {
  const worker = { number: 2, of: 4 };
  expect(describeProcess({ host: 'gw-2', process_id: 4711, worker })).toBe('gw-2, process 4711, worker 2 of 4');
  expect(describeProcess({ host: 'gw-2', process_id: null, worker: null })).toBe('gw-2');
  expect(describeProcess({ host: null, process_id: null, worker: null })).toBeNull();
});
