import { join } from 'node:path';

import { BENCH_MANAGEMENT_KEY, ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import {
  type Figure,
  formatMegabytes,
  formatMicroseconds,
  formatMilliseconds,
  formatTimes,
  toFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage, Target } from '../targets/start-targets.ts';
import { WHOLE_JOB } from './compare-load.ts';
import { takeTurns } from './take-turns.ts';

const KEYS = 10_000;
const MEMBERS = 1000;
const GUARDRAILS = 1000;
/** Requests under way while the accounts are made. */
const MAKERS = 16;

interface Sizes {
  readonly keys: number;
  readonly members: number;
  readonly guardrails: number;
}

/**
 * Measures what many accounts cost: a gateway with 10,000 keys, 1,000 members and 1,000 guardrails, each of which is
 * assigned to keys and a member, is compared by turns with one that has a single key. Both are asked by a stored key.
 */
export async function measureManyKeys(stage: Stage, plan: Plan): Promise<Figure[]> {
  const few = await startFilled(stage, plan, { keys: 1, members: 1, guardrails: 1 });
  const many = await startFilled(stage, plan, { keys: KEYS, members: MEMBERS, guardrails: GUARDRAILS });
  try {
    const toMb = ({ pid }: Target): number => readProcessStats(pid).rssBytes / 1_000_000;
    const addedMb = toMb(many.target) - toMb(few.target);
    const rounds = await takeTurns(stage, plan, [few.target, many.target], WHOLE_JOB);
    const ofFew = rounds.map(([cpuUs = 0]) => cpuUs);
    const ofMany = rounds.map(([, cpuUs = 0]) => cpuUs);
    const subject = `${KEYS} keys, ${MEMBERS} members, ${GUARDRAILS} guardrails`;
    return [
      toFigure(`${subject}: CPU a request, against one of each`, {
        gateway: formatMicroseconds(median(ofMany)),
        proxy: formatMicroseconds(median(ofFew)),
        value: median(ofMany.map((cpuUs, at) => cpuUs / (ofFew[at] ?? 1))),
        format: formatTimes,
      }),
      toFigure(`${subject}: memory after the start, more than with one of each`, {
        gateway: '',
        value: addedMb,
        format: formatMegabytes,
      }),
      toFigure(`${subject}: time to listening, more than with one of each`, {
        gateway: '',
        value: many.listeningAfterMs - few.listeningAfterMs,
        format: formatMilliseconds,
      }),
    ];
  } finally {
    await Promise.all([few.target.stop(), many.target.stop()]);
  }
}

interface Filled {
  readonly target: Target;
  readonly listeningAfterMs: number;
}

/** Makes the accounts by the API of a first process, and starts a second one over what that has stored. */
async function startFilled({ upstreamPort }: Stage, plan: Plan, sizes: Sizes): Promise<Filled> {
  const dataDir = join(makeTemporaryFolder(), 'data');
  const maker = await startGateway({ upstreamPort, dataDir });
  const startedAt = performance.now();
  const key = await makeAccounts(`http://127.0.0.1:${maker.port}`, sizes);
  plan.progress(`${sizes.keys} keys made in ${formatMilliseconds(performance.now() - startedAt)}`);
  await maker.stop();
  const { listeningAfterMs, ...gateway } = await startGateway({ upstreamPort, dataDir });
  const route = { ...ROUTES.chat, headers: { authorization: `Bearer ${key}` } };
  return { target: { name: 'gateway', route, ...gateway }, listeningAfterMs };
}

/** Returns the last of the keys. Each guardrail is assigned to a member and an even share of the keys. */
async function makeAccounts(url: string, { keys, members, guardrails }: Sizes): Promise<string> {
  const post = async <Made>(path: string, body: object): Promise<Made> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BENCH_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as Made;
  };
  await forEach(members, (at) => post('/admin/v1/members', { user_id: `member-${at}`, email: `m${at}@example.com` }));
  const made: { readonly hash: string; readonly key: string }[] = [];
  await forEach(keys, async (at) => {
    const body = { name: `key ${at}`, creator_user_id: `member-${at % members}` };
    const { key, data } = await post<{ key: string; data: { hash: string } }>('/api/v1/keys', body);
    made.push({ hash: data.hash, key });
  });
  const share = Math.ceil(keys / guardrails);
  await forEach(guardrails, async (at) => {
    const body = { name: `guardrail ${at}`, limit_usd: 1_000_000, reset_interval: 'monthly' };
    const { data } = await post<{ data: { id: string } }>('/api/v1/guardrails', body);
    const hashes = made.slice(at * share, (at + 1) * share).map(({ hash }) => hash);
    await post(`/api/v1/guardrails/${data.id}/assignments/keys`, { key_hashes: hashes });
    const member = { member_user_ids: [`member-${at % members}`] };
    await post(`/api/v1/guardrails/${data.id}/assignments/members`, member);
  });
  return made.at(-1)?.key ?? '';
}

/** Runs so many steps, a few at a time. */
async function forEach(count: number, step: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await step(at);
  };
  await Promise.all(Array.from({ length: MAKERS }, work));
}
