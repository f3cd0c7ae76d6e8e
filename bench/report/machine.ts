import { cpus, loadavg, release, totalmem, type } from 'node:os';
import process from 'node:process';

import { readProcessStats } from '../processes/process-stats.ts';

/** Describes the machine of the measurements in one line. */
export function describeMachine(): string {
  const models = cpus();
  const memoryGb = Math.round(totalmem() / 1_000_000_000);
  return `${models.length} × ${models[0]?.model.trim() ?? 'unknown CPU'}, ${memoryGb} GB, ${type()} ${release()}`;
}

/** How many processes wanted a CPU lately, on average over a minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/**
 * Begins to watch what else the machine does. The function it returns tells which share of all its CPU time has gone
 * to others than this bench since, from 0 to 1.
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
