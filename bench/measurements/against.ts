import { join } from 'node:path';

import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { AGAINST } from '../report/budgets.ts';
import {
  type Figure,
  type Format,
  formatMicroseconds,
  formatMilliseconds,
  formatTimes,
  toFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { checkResponses } from '../targets/check-responses.ts';
import { startGateway } from '../targets/start-gateway.ts';
import { setStage, type Stage, type Target } from '../targets/start-targets.ts';
import { type Job, runRound, STREAMED_JOB, WHOLE_JOB } from './compare-load.ts';
import { SLOW_STREAMS } from './first-token.ts';
import { storeGenerations } from './stored-generations.ts';

/** Titles of the table: the second column is this checkout, or the old one's second process. */
export const AGAINST_TITLES = ['', 'this', 'old', 'quotient', 'at most', ''];

/** Measurements of one round: the old checkout, this checkout, and a second process of the old checkout. */
interface Round {
  readonly before: number;
  readonly now: number;
  readonly again: number;
}

/** The gateways that are compared. */
interface Contestants {
  readonly before: Target;
  readonly now: Target;
  /** A second process of the old checkout: its difference from the first is chance. */
  readonly again: Target;
}

/** Compares this checkout with an older, built one in a folder. */
export async function measureAgainst(plan: Plan, folder: string): Promise<Figure[]> {
  const stage = await setStage();
  const figures = await measureCalls(stage, plan, folder);
  return [...figures, ...(await measureStarts(stage, plan, folder))];
}

/** Starts all three again and again: one process takes a tenth more for a call than the next, for as long as it lives. */
async function measureCalls(stage: Stage, plan: Plan, folder: string): Promise<Figure[]> {
  const whole: Round[] = [];
  const streamed: Round[] = [];
  const firstToken: Round[] = [];
  for (let i = 0; i < plan.against.processes; i += 1) {
    plan.progress(`processes ${i + 1} of ${plan.against.processes}`);
    await withContestants(stage, folder, async (all) => {
      whole.push(...(await runRounds(all, plan, 'whole', cpuOf(stage, plan, WHOLE_JOB))));
      streamed.push(...(await runRounds(all, plan, 'streamed', cpuOf(stage, plan, STREAMED_JOB))));
      firstToken.push(...(await runRounds(all, plan, 'first token', firstTokenOf(stage, plan))));
    });
  }
  return [
    ...toFigures('not streamed: CPU a request', whole, formatMicroseconds),
    ...toFigures('streamed: CPU a stream', streamed, formatMicroseconds),
    ...toFigures('first token of slow streams, p50', firstToken, formatMilliseconds),
  ];
}

async function withContestants(
  stage: Stage,
  folder: string,
  measure: (all: Contestants) => Promise<void>,
): Promise<void> {
  const start = async (checkout?: string): Promise<Target> => ({
    name: 'gateway',
    ...(await startGateway({ upstreamPort: stage.upstreamPort, checkout })),
  });
  const [before, now, again] = await Promise.all([start(folder), start(), start(folder)]);
  const all = { before, now, again };
  const check = (): Promise<unknown> => Promise.all(Object.values(all).map((target) => checkResponses(target)));
  try {
    await check();
    await measure(all);
    await check();
  } finally {
    await Promise.all(Object.values(all).map((target) => target.stop()));
  }
}

type Measure = (target: Target) => Promise<number>;

const cpuOf =
  (stage: Stage, plan: Plan, job: Job): Measure =>
  async (target) =>
    (await runRound(stage, target, { ...job, durationMs: plan.against.roundMs })).cpuUs;

const firstTokenOf =
  ({ load }: Stage, plan: Plan): Measure =>
  async ({ port }) => {
    const durationMs = SLOW_STREAMS.rampMs + plan.against.roundMs;
    return (await load.call('run', { ...SLOW_STREAMS, port, durationMs })).firstEventMs.p50;
  };

/** Runs rounds that measure each target twice, in one order and in its reverse, so that a drift affects all alike. */
async function runRounds(
  { before, now, again }: Contestants,
  plan: Plan,
  what: string,
  measure: Measure,
): Promise<Round[]> {
  const order = [before, now, again, again, now, before];
  for (const target of order) await measure(target);
  const rounds: Round[] = [];
  for (let i = 0; i < plan.against.rounds; i += 1) {
    const values: number[] = [];
    for (const target of order) values.push(await measure(target));
    const [a1 = 0, b1 = 0, c1 = 0, c2 = 0, b2 = 0, a2 = 0] = values;
    const round = { before: (a1 + a2) / 2, now: (b1 + b2) / 2, again: (c1 + c2) / 2 };
    rounds.push(round);
    const quotient = (value: number): string => (value / round.before).toFixed(3);
    plan.progress(`${what}, round ${i + 1}: now ${quotient(round.now)}, the old one again ${quotient(round.again)}`);
  }
  return rounds;
}

/** Starts each checkout by turns on 10,000 stored generations. */
async function measureStarts({ upstreamPort }: Stage, plan: Plan, folder: string): Promise<Figure[]> {
  const dataDir = join(makeTemporaryFolder(), 'data');
  await storeGenerations(dataDir, 10_000);
  const start = async (checkout?: string): Promise<number> => {
    const gateway = await startGateway({ upstreamPort, dataDir, checkout });
    await gateway.stop();
    return gateway.listeningAfterMs;
  };
  const rounds: Round[] = [];
  // The first round fills the compile caches.
  for (let i = 0; i <= plan.against.starts; i += 1) {
    const [a1, b1, c1, c2, b2, a2] = [
      await start(folder),
      await start(),
      await start(folder),
      await start(folder),
      await start(),
      await start(folder),
    ];
    if (i > 0) rounds.push({ before: (a1 + a2) / 2, now: (b1 + b2) / 2, again: (c1 + c2) / 2 });
  }
  return toFigures('10,000 stored generations: time to listening', rounds, formatMilliseconds);
}

function toFigures(subject: string, rounds: readonly Round[], format: Format): Figure[] {
  const of = (name: string, field: keyof Round): Figure =>
    toFigure(`${subject}, ${name}`, {
      gateway: format(median(rounds.map((round) => round[field]))),
      proxy: format(median(rounds.map(({ before }) => before))),
      value: median(rounds.map((round) => round[field] / round.before)),
      format: formatQuotient,
      budget: field === 'now' ? AGAINST : undefined,
    });
  return [of('this checkout by the old one', 'now'), of('the old one by itself', 'again')];
}

/** Writes three decimals, because two would hide the differences. */
const formatQuotient: Format = (value) => formatTimes(value).replace(/^[\d.]+/, value.toFixed(3));
