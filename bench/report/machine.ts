import { cpus, loadavg, release, totalmem, type } from 'node:os';
import process from 'node:process';

import { readProcessStats } from '../processes/process-stats.ts';

/** Describes the machine of the measurements in one line. */
export function describeMachine(): string {
  const models = cpus();
  const memoryGb = Math.round(totalmem() / 1_000_000_000);
  return `${models.length} × ${models[0]?.model.trim() ?? 'unknown CPU'}, ${memoryGb} GB, ${type()} ${release()}`;
}

/** Number of processes that ran or waited for a CPU, on average over the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/**
 * Starts to measure what else the machine does. The function it returns gives the share of all CPU time, from 0 to 1,
 * that programs other than this bench have used since.
 */
export function watchOthers(): () => number {
  const startedAt = performance.now();
  const othersBefore = busyMs() - readProcessStats(process.pid).cpuMs;
  return () => {
    const othersMs = busyMs() - readProcessStats(process.pid).cpuMs - othersBefore;
    return Math.max(0, othersMs / ((performance.now() - startedAt) * cpus().length));
  };
}

function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
