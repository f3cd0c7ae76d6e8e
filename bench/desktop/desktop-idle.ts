import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import type { Plan } from '../plan.ts';
import { endWithBench, makeTemporaryFolder } from '../processes/children.ts';
import { listTree, readProcessStats } from '../processes/process-stats.ts';
import {
  DESKTOP_TRAY_CPU,
  DESKTOP_TRAY_MB,
  DESKTOP_TRAY_MS,
  DESKTOP_WINDOW_CPU,
  DESKTOP_WINDOW_MB,
} from '../report/budgets.ts';
import {
  type Budget,
  type Figure,
  formatMegabytes,
  formatMilliseconds,
  formatPercent,
  toFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type DesktopStage, toStart } from './desktop-stage.ts';
import { openTrayPanel } from './desktop-tray.ts';

/** Waiting time after the start. The work that follows a start is done by then. */
const SETTLE_MS = 10_000;

/** Measures the app without a driver: until it is in the tray, and at rest with and without a window. */
export async function measureIdle(stage: DesktopStage, plan: Plan): Promise<Figure[]> {
  const trayMs: number[] = [];
  for (let i = 0; i < plan.desktop.starts; i += 1) {
    const app = await startApp(stage, '--hidden');
    trayMs.push(app.trayMs);
    await app.stop();
  }
  plan.progress(`in the tray after ${trayMs.map(formatMilliseconds).join(', ')}`);
  const inTray = await rest(stage, plan, '--hidden');
  const withWindow = await rest(stage, plan);
  return [
    toFigure('desktop: in the tray, from the start of the program', {
      gateway: '',
      value: median(trayMs),
      format: formatMilliseconds,
      budget: DESKTOP_TRAY_MS,
    }),
    ...toFigures('at rest in the tray', inTray, { cpu: DESKTOP_TRAY_CPU, memory: DESKTOP_TRAY_MB }),
    ...toFigures('at rest with its window', withWindow, { cpu: DESKTOP_WINDOW_CPU, memory: DESKTOP_WINDOW_MB }),
  ];
}

interface Rest {
  /** Share of one CPU. */
  readonly cpu: number;
  /** Proportional set size: memory that processes share is counted once. */
  readonly pssMb: number;
}

async function rest(stage: DesktopStage, { desktop: { idleMs } }: Plan, ...flags: string[]): Promise<Rest> {
  const { pid, stop } = await startApp(stage, ...flags);
  await wait(SETTLE_MS);
  const before = readProcessStats(pid);
  const startedAt = performance.now();
  await wait(idleMs);
  const after = readProcessStats(pid);
  const cpu = (after.cpuMs - before.cpuMs) / (performance.now() - startedAt);
  const measured = { cpu, pssMb: readPss(pid) / 1_000_000 };
  await stop();
  return measured;
}

function toFigures(state: string, { cpu, pssMb }: Rest, budgets: { cpu: Budget; memory: Budget }): Figure[] {
  return [
    toFigure(`desktop, ${state}: CPU`, { gateway: '', value: cpu, format: formatPercent, budget: budgets.cpu }),
    toFigure(`desktop, ${state}: proportional set size of its processes`, {
      gateway: '',
      value: pssMb,
      format: formatMegabytes,
      budget: budgets.memory,
    }),
  ];
}

/** The proportional set size of a process and its descendants, in bytes. */
function readPss(pid: number): number {
  const kilobytes = listTree(pid).map((each) => {
    const rollup = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}

interface RunningApp {
  readonly pid: number;
  readonly trayMs: number;
  stop(): Promise<void>;
}

async function startApp(stage: DesktopStage, ...flags: string[]): Promise<RunningApp> {
  const panel = await openTrayPanel(stage.busAddress);
  const { args, env } = toStart(stage, makeTemporaryFolder(), ...flags);
  const isInTray = panel.next();
  const startedAt = performance.now();
  const child = endWithBench(spawn(stage.executable, args, { env, stdio: 'ignore' }));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ended = exited.then(() => {
    throw new Error('the app has ended before it was in the tray');
  });
  await Promise.race([isInTray, ended]);
  const trayMs = performance.now() - startedAt;
  return {
    pid: child.pid ?? 0,
    trayMs,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      panel.close();
    },
  };
}
