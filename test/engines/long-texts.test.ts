import type { GenerationCondition } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, test } from 'vitest';

import { toRecord } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { openStore } from './support/postgres-stores.ts';

/** Longer than a column holds, with what PostgreSQL cannot hold, and with what JSON escapes. */
const LONG = `begin \\u0000 \0 \ud800 "${'語'.repeat(200)}" \\ middle ${'\u{1F600}'.repeat(120)} End`;
const PATTERNS = ['begin*', '*end', '*middle*', 'begin*"*\\ middle*end', '*…*', 'begin', '*\\u0000*', '*x*'];
const MEMBERS = {
  session: 'session_id',
  model: 'model',
  provider: 'provider_name',
  finish: 'finish_reason',
  agent: 'user_agent',
  user: 'external_user',
} as const;

test.skipIf(missingPostgres)('conditions are about the whole of texts of which columns hold a part', async () => {
  const memory = createMemoryStore();
  const postgres = await openStore(await openDatabase());
  const long = Object.fromEntries(Object.values(MEMBERS).map((member) => [member, LONG]));
  for (const { generations } of [memory, postgres]) {
    await generations.append(toRecord('gen-1770000000-a', { generation: long }), null);
    await generations.append(toRecord('gen-1770000001-b'), null);
    await generations.append(toRecord('gen-1770000002-c', { generation: { user_agent: `…${'x'.repeat(16)}` } }), null);
  }
  for (const field of Object.keys(MEMBERS) as (keyof typeof MEMBERS)[]) {
    for (const pattern of PATTERNS) {
      for (const isNegated of [false, true]) {
        const condition: GenerationCondition = { field, sign: ':', values: [pattern], isNegated };
        const query = { limit: 9, filter: { conditions: [condition] } };
        const [found, wanted] = [await postgres.generations.page(query), await memory.generations.page(query)];
        expect(found.records, `${field} ${String(isNegated)} ${pattern}`).toEqual(wanted.records);
      }
    }
  }
});
