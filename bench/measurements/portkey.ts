import type { Plan } from '../plan.ts';
import { startWorker } from '../processes/worker.ts';
import { PORTKEY_THROUGHPUT } from '../report/budgets.ts';
import { type Figure, formatMicroseconds, formatPerSecond, formatTimes, toSkippedFigure } from '../report/figure.ts';
import { type Stage, type Target, withTargets } from '../targets/start-targets.ts';
import { runPairs, toRatio, WHOLE_JOB } from './compare-load.ts';
import { type InstalledPeer, installPeer } from './install-peer.ts';
import type { PortkeyCalls } from './portkey-server.ts';

const SUBJECT = `not streamed, ${WHOLE_JOB.connections} connections, against Portkey`;

/**
 * Compares whole responses under full load with the npm release of Portkey's gateway, by turns. Where that cannot be
 * installed, the only figure says so.
 */
export async function measurePortkey(stage: Stage, plan: Plan): Promise<Figure[]> {
  let portkey: InstalledPeer;
  try {
    portkey = await installPeer({ name: '@portkey-ai/gateway', folder: 'portkey', entry: 'bin' });
  } catch (error) {
    plan.progress(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    return [toSkippedFigure(`${SUBJECT}: throughput`, { budget: PORTKEY_THROUGHPUT, format: formatTimes })];
  }
  const measured = await withTargets(
    stage,
    (targets) => runPairs(stage, plan, { targets, job: WHOLE_JOB }),
    () => startPortkey(stage, portkey),
  );
  const subject = `${SUBJECT} ${portkey.version}`;
  return [
    toRatio(measured, `${subject}: throughput`, {
      format: formatPerSecond,
      field: 'perSecond',
      budget: PORTKEY_THROUGHPUT,
    }),
    toRatio(measured, `${subject}: CPU a request`, { format: formatMicroseconds, field: 'cpuUs' }),
  ];
}

async function startPortkey({ upstreamPort }: Stage, { file }: InstalledPeer): Promise<Target> {
  const worker = await startWorker<PortkeyCalls>('measurements/portkey-server.ts', [file], 'ignore');
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1` };
  return {
    name: 'Portkey',
    pid: worker.pid,
    port: await worker.call('port'),
    route: { path: '/v1/chat/completions', form: 'chat', headers },
    stop: () => worker.stop(),
  };
}
