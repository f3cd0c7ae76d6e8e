import { join } from 'node:path';

import { findProgram } from '../../test/engines/support/find-program.ts';
import { BENCH_KEY, BENCH_MANAGEMENT_KEY } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { OPEN_CALL_MS, OPEN_SESSION_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { percentile } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { storeUiGenerations } from '../ui/ui-generations.ts';
import { fillPostgres } from '../ui/ui-million.ts';
import type { UiStore } from '../ui/ui-stage.ts';

const CALLS = 60;
const SESSION = 'bench-session';
const TURNS = 200;
const SESSION_ROUNDS = 10;
const DAYS = 29;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Measures what the gateway takes to give out a stored call and a session, over both stores. */
export async function measureOpenCalls(stage: Stage, plan: Plan): Promise<Figure[]> {
  const { generations } = plan.ui;
  const dataDir = join(makeTemporaryFolder(), 'data');
  await storeUiGenerations(dataDir, generations);
  const files = { generations, hasSums: false, options: { dataDir }, remove: () => Promise.resolve() };
  const figures = await measureStore(stage, { ...files, name: 'in files' }, plan);
  if (findProgram('postgres') === undefined) {
    plan.progress('skipped: there is no PostgreSQL server on this machine');
    return figures;
  }
  const store = await fillPostgres(generations);
  return [...figures, ...(await measureStore(stage, { ...store, name: 'in PostgreSQL' }, plan))];
}

async function measureStore(
  { upstreamPort }: Stage,
  { name, generations, options, remove }: UiStore & { readonly name: string },
  plan: Plan,
): Promise<Figure[]> {
  const gateway = await startGateway({ upstreamPort, ...options });
  const url = `http://127.0.0.1:${gateway.port}`;
  try {
    await makeSession(url);
    const calls = await timeAll(await findIds(url), (id) => openCall(url, id));
    const sessions = await timeAll(Array.from({ length: SESSION_ROUNDS }), () => openSession(url));
    const stored = `${generations.toLocaleString('en')} calls ${name}`;
    plan.progress(`${stored}: the slowest call opened in ${formatMilliseconds(Math.max(...calls))}`);
    return [
      ...toFigures(`${stored}: opening a call`, calls, OPEN_CALL_MS),
      ...toFigures(`${stored}: opening a session of ${TURNS} turns`, sessions, OPEN_SESSION_MS),
    ];
  } finally {
    await gateway.stop();
    await remove();
  }
}

const toFigures = (subject: string, times: readonly number[], budget: typeof OPEN_CALL_MS): Figure[] =>
  [50, 95].map((share) => {
    const value = percentile(times, share);
    return toFigure(`${subject}, p${share}`, { gateway: '', value, format: formatMilliseconds, budget });
  });

async function timeAll<Item>(items: readonly Item[], open: (item: Item) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) {
    const startedAt = performance.now();
    await open(item);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Each turn has the whole conversation before it, as agents send it. */
async function makeSession(url: string): Promise<void> {
  const messages: object[] = [{ role: 'system', content: 'You work on a project. '.repeat(200) }];
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: 'user', content: `Turn ${turn}: ${'what is in this file, and why? '.repeat(20)}` });
    const response = await fetch(`${url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `bench/${BURST.name}`, session_id: SESSION, messages }),
    });
    if (!response.ok) throw new Error(`Turn ${turn} ended with ${response.status}: ${await response.text()}`);
    const { choices } = (await response.json()) as { choices: { message: object }[] };
    messages.push(choices[0]?.message ?? {});
  }
}

/** Ids of calls from all parts of the month. */
async function findIds(url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < CALLS; at += 1) {
    const to = new Date(Date.now() - ((at + 0.5) / CALLS) * DAYS * DAY_MS).toISOString();
    const page = (await read(url, '/admin/v1/generations', { limit: '1', fields: 'id', to })) as {
      data: { id: string }[];
    };
    ids.push(...page.data.map(({ id }) => id));
  }
  return ids;
}

const openCall = (url: string, id: string): Promise<unknown> =>
  Promise.all([
    read(url, '/api/v1/generation', { id }),
    read(url, '/api/v1/generation/content', { id }),
    read(url, `/admin/v1/generations/${id}/call-timeline`),
    read(url, `/admin/v1/generations/${id}/request`),
  ]);

async function openSession(url: string): Promise<void> {
  const sums = read(url, '/admin/v1/generations/sessions', { session: SESSION, limit: '1' });
  const query = { session: SESSION, sort: 'time', order: 'asc', limit: '200' };
  let count = 0;
  let cursor: string | null | undefined;
  do {
    const page = (await read(url, '/admin/v1/generations', { ...query, ...(cursor != null && { cursor }) })) as {
      data: object[];
      next_cursor?: string | null;
    };
    count += page.data.length;
    cursor = page.next_cursor;
  } while (cursor != null);
  await sums;
  if (count !== TURNS) throw new Error(`The session has ${count} calls in place of ${TURNS}`);
}

/** The body, read to its end; that of a call without content is an error, which is an answer, too. */
async function read(url: string, path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await fetch(`${url}${path}?${new URLSearchParams(query).toString()}`, {
    headers: { authorization: `Bearer ${BENCH_MANAGEMENT_KEY}` },
  });
  if (!response.ok && response.status !== 404) throw new Error(`${path}: ${response.status}`);
  return response.json();
}
