import type { Plan } from '../plan.ts';
import { formatMicroseconds } from '../report/figure.ts';
import type { Stage, Target } from '../targets/start-targets.ts';
import { type Job, runRound } from './compare-load.ts';

/** The CPU time of a request at each target, in microseconds. */
export type Turns = readonly number[];

/** Sends each target as much as it can take, by turns, after a turn to warm up. One result a round. */
export async function takeTurns(stage: Stage, plan: Plan, targets: readonly Target[], job: Job): Promise<Turns[]> {
  const { warmUpMs, roundMs, rounds } = plan.load;
  const run = async (target: Target, durationMs: number): Promise<number> =>
    (await runRound(stage, target, { ...job, durationMs })).cpuUs;
  for (const target of targets) await run(target, warmUpMs);
  const measured: Turns[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const turns: number[] = [];
    for (const target of targets) turns.push(await run(target, roundMs));
    measured.push(turns);
    plan.progress(`CPU ${turns.map(formatMicroseconds).join(', ')}`);
  }
  return measured;
}
