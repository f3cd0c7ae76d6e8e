import { ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { startWorker } from '../processes/worker.ts';
import { LLMS_CPU } from '../report/budgets.ts';
import {
  type Figure,
  formatMicroseconds,
  formatPerSecond,
  formatTimes,
  toFigure,
  toSkippedFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Pair, type Stage, type Target, withTargets } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { type Round, runPairs, STREAMED_JOB, toRatio, WHOLE_JOB } from './compare-load.ts';
import { type InstalledPeer, installPeer } from './install-peer.ts';
import type { LlmsCalls } from './llms-server.ts';

const KINDS = [
  { name: 'not streamed', job: WHOLE_JOB },
  { name: `streams of ${BURST.chunks} chunks`, job: STREAMED_JOB },
];

/**
 * Compares `/messages` over the wire openai, under full load, with the npm release of claude-code-router's server, by
 * turns. Where that cannot be installed, the figures say so.
 */
export async function measureLlms(stage: Stage, plan: Plan): Promise<Figure[]> {
  const subjectOf = (name: string, version = ''): string => `/messages, ${name}, against llms ${version}`.trim();
  let llms: InstalledPeer;
  try {
    llms = await installPeer({ name: '@musistudio/llms', folder: 'llms', entry: 'main' });
  } catch (error) {
    plan.progress(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    return KINDS.map(({ name }) =>
      toSkippedFigure(`${subjectOf(name)}: its CPU a request by ours`, { budget: LLMS_CPU, format: formatTimes }),
    );
  }
  return withTargets(
    stage,
    async (targets) => {
      const figures: Figure[] = [];
      for (const { name, job } of KINDS) {
        const measured = await runPairs(stage, plan, { targets, job });
        figures.push(...toFigures(subjectOf(name, llms.version), measured));
      }
      return figures;
    },
    { lane: { route: ROUTES.messages }, startOther: () => startLlms(stage, llms) },
  );
}

function toFigures(subject: string, measured: readonly Pair<Round>[]): Figure[] {
  return [
    toFigure(`${subject}: its CPU a request by ours`, {
      gateway: formatMicroseconds(median(measured.map(({ gateway }) => gateway.cpuUs))),
      proxy: formatMicroseconds(median(measured.map(({ proxy }) => proxy.cpuUs))),
      value: median(measured.map(({ gateway, proxy }) => proxy.cpuUs / gateway.cpuUs)),
      format: formatTimes,
      budget: LLMS_CPU,
    }),
    toRatio(measured, `${subject}: throughput`, { format: formatPerSecond, field: 'perSecond' }),
  ];
}

async function startLlms({ upstreamPort }: Stage, { file }: InstalledPeer): Promise<Target> {
  const worker = await startWorker<LlmsCalls>('measurements/llms-server.ts', [file, String(upstreamPort)], 'ignore');
  return {
    name: 'llms',
    pid: worker.pid,
    port: await worker.call('port'),
    // Its names of models begin with that of their provider.
    route: { path: '/v1/messages', form: 'messages', headers: {}, modelPrefix: 'upstream,' },
    stop: () => worker.stop(),
  };
}
