import { readFileSync } from 'node:fs';

import { measureQueries } from './measure.ts';
const urls = JSON.parse(readFileSync('/tmp/q-scratch/urls.json', 'utf8')) as Record<string, string>;
const end = Date.UTC(2026, 10, 23, 20, 47, 13);
const runs = Number(process.argv[2] ?? 5);
const small = await measureQueries(urls[10_000]!, end, runs);
const large = urls[1_000_000] === undefined ? small : await measureQueries(urls[1_000_000]!, end, runs);
for (const [i, m] of large.entries()) {
  const s = small[i]!;
  const flag = m.isFast && (m.p95Ms > 50 || m.p50Ms / s.p50Ms > 1.5) ? ' <--' : m.p95Ms > 1000 ? ' <== SLOW' : '';
  console.log(
    m.name.padEnd(44),
    s.p50Ms.toFixed(1).padStart(7),
    s.p95Ms.toFixed(1).padStart(7),
    '|',
    m.p50Ms.toFixed(1).padStart(7),
    m.p95Ms.toFixed(1).padStart(7),
    (m.p50Ms / s.p50Ms).toFixed(2),
    m.isCut ? 'cut' : '',
    flag,
  );
}
