import { readFileSync } from 'node:fs';

import pg from 'pg';

import { createGenerationQueries } from '../../../packages/postgres/dist/generations/read/generation-queries.js';
import { toMeasuredQueries } from './million-queries.ts';
const urls = JSON.parse(readFileSync('/tmp/q-scratch/urls.json', 'utf8')) as Record<string, string>;
const end = Date.UTC(2026, 10, 23, 20, 47, 13);
const [, , rows, name, explain] = process.argv;
const parsers = {
  getTypeParser: (oid: number, f: any) =>
    oid === 20 ? Number : oid === 1082 ? String : pg.types.getTypeParser(oid, f),
} as any;
const client = new pg.Client({ connectionString: urls[rows!]!, types: parsers });
await client.connect();
let show = false;
const connection = {
  useClient: (_: number, work: any) =>
    work({
      query: async (text: string, values: any) => {
        const t = performance.now();
        const r = await client.query(text, values);
        if (show) {
          console.log(
            (performance.now() - t).toFixed(1),
            'ms',
            r.rows?.length,
            text.replace(/\s+/g, ' ').slice(0, 200),
          );
          if (explain && values && text.includes(explain))
            console.log(
              (await client.query('explain (analyze, buffers) ' + text, values)).rows
                .map((r: any) => r['QUERY PLAN'])
                .join('\n')
                .slice(0, 6000),
            );
        }
        return r;
      },
    }),
};
const g = createGenerationQueries({ connection, now: () => end } as any) as any;
const q = toMeasuredQueries(end).find((q) => q.name === name)!;
await q.run(g);
await q.run(g);
show = true;
const t = performance.now();
await q.run(g);
console.log('all', performance.now() - t);
await client.end();
