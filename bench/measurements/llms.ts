import { ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { startWorker } from '../processes/worker.ts';
import { LLMS_CPU } from '../report/budgets.ts';
import { type Figure, formatMicroseconds, formatTimes, toFigure, toSkippedFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Stage, startGatewayTarget, type Target, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { STREAMED_JOB, WHOLE_JOB } from './compare-load.ts';
import { type InstalledPeer, installPeer } from './install-peer.ts';
import type { LlmsCalls, LlmsLog } from './llms-server.ts';
import { takeTurns, type Turns } from './take-turns.ts';

const KINDS = [
  { name: 'not streamed', job: WHOLE_JOB },
  { name: `streams of ${BURST.chunks} chunks`, job: STREAMED_JOB },
];

/** Its log as claude-code-router has it by default, which keeps every prompt and completion as the gateway does, and none. */
const LOGS: readonly { readonly log: LlmsLog; readonly name: string }[] = [
  { log: 'debug', name: 'with its log' },
  { log: 'off', name: 'without a log' },
];

/**
 * Compares `/messages` over the wire openai, under full load, with the npm release of claude-code-router's server, by
 * turns. Where that cannot be installed, the figures say so.
 */
export async function measureLlms(stage: Stage, plan: Plan): Promise<Figure[]> {
  let llms: InstalledPeer;
  try {
    llms = await installPeer({ name: '@musistudio/llms', folder: 'llms', entry: 'main' });
  } catch (error) {
    plan.progress(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    const facts = { budget: LLMS_CPU, format: formatTimes };
    return KINDS.flatMap((kind) => LOGS.map((log) => toSkippedFigure(toSubject(kind.name, 'llms', log.name), facts)));
  }
  const targets = await Promise.all([
    startGatewayTarget(stage, { route: ROUTES.messages }),
    ...LOGS.map(({ log }) => startLlms(stage, llms, log)),
  ]);
  return withChecked(targets, async () => {
    const figures: Figure[] = [];
    for (const { name, job } of KINDS) {
      const rounds = await takeTurns(stage, plan, targets, job);
      figures.push(
        ...LOGS.map((log, index) => toLlmsFigure(toSubject(name, `llms ${llms.version}`, log.name), rounds, index)),
      );
    }
    return figures;
  });
}

const toSubject = (kind: string, llms: string, log: string): string =>
  `/messages, ${kind}: CPU a request of ${llms} ${log}, by the gateway's`;

function toLlmsFigure(subject: string, rounds: readonly Turns[], index: number): Figure {
  const pairs = rounds.map(([ourUs = 0, ...theirs]) => ({ ourUs, theirUs: theirs[index] ?? 0 }));
  return toFigure(subject, {
    gateway: formatMicroseconds(median(pairs.map(({ ourUs }) => ourUs))),
    proxy: formatMicroseconds(median(pairs.map(({ theirUs }) => theirUs))),
    value: median(pairs.map(({ ourUs, theirUs }) => theirUs / ourUs)),
    format: formatTimes,
    budget: LLMS_CPU,
  });
}

async function startLlms({ upstreamPort }: Stage, { file }: InstalledPeer, log: LlmsLog): Promise<Target> {
  const args = [file, String(upstreamPort), log];
  const worker = await startWorker<LlmsCalls>('measurements/llms-server.ts', args, 'ignore');
  return {
    name: 'llms',
    pid: worker.pid,
    port: await worker.call('port'),
    // Its names of models begin with that of their provider.
    route: { path: '/v1/messages', form: 'messages', headers: {}, modelPrefix: 'upstream,' },
    stop: () => worker.stop(),
  };
}
