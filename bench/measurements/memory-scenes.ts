import { setTimeout as delay } from 'node:timers/promises';

import {
  BENCH_KEY,
  BENCH_MANAGEMENT_KEY,
  type Form,
  type Route,
  ROUTES,
  toRequestBody,
} from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { startWorker } from '../processes/worker.ts';
import { MOUNTED_CALL_KB, MOUNTED_MB, SLOW_READERS_MB, SOAK_PEAK_MB, SOAK_REST_MB } from '../report/budgets.ts';
import { type Budget, type Figure, formatKilobytes, formatMegabytes, toFigure } from '../report/figure.ts';
import { type Stage, startGatewayTarget } from '../targets/start-targets.ts';
import { EXAMPLE, FLOOD_32_MB, SOAK, SOAK_CALL, textOfStream, WHOLE_TEXT } from '../targets/upstream-script.ts';

const MEGABYTE = 1_000_000;
const SAMPLE_EVERY_MS = 100;
const SLOW_READERS = 150;
/** Until the buffers towards all of them are full. */
const FILLED_AFTER_MS = 30_000;
const LEFT_FOR_MS = 20_000;
/** Of the example's store, by default. */
const KEPT_CALLS = 10_000;

/** Measures the memory of a gateway with a JSON-file store under many streams of all forms, and after a rest. */
export async function measureSoak({ load, ...stage }: Stage, plan: Plan): Promise<Figure[]> {
  const gateway = await startGatewayTarget({ load, ...stage });
  try {
    // What the gateway was tried with before.
    const [recordedBefore, failedBefore] = await countRecorded(gateway.port);
    const memory = watchMemory(gateway.pid);
    const loads = Object.values(ROUTES).flatMap((route) => [SOAK, SOAK_CALL].map((script) => ({ route, script })));
    const share = { durationMs: plan.soakMs, rampMs: 3000, stream: true, port: gateway.port };
    const startedAt = performance.now();
    const reports = setInterval(() => {
      const minutes = Math.round((performance.now() - startedAt) / 60_000);
      plan.progress(`after ${minutes} min: resident memory ${formatMegabytes(memory.now())}`);
    }, 60_000);
    const results = await Promise.all(
      loads.map(({ route, script }, index) => {
        const connections = Math.ceil((plan.soakStreams - index) / loads.length);
        const minBytes = textOfStream(script).length;
        return load.call('run', { ...share, route, script: script.name, connections, minBytes });
      }),
    ).finally(() => clearInterval(reports));
    const peakMb = memory.takeMost();
    await delay(plan.restMs);
    const restMb = memory.now();
    memory.stop();
    const streams = results.reduce((sum, { requests }) => sum + requests, 0);
    const [recorded, failed] = await countRecorded(gateway.port);
    if (recorded - recordedBefore !== streams || failed > failedBefore) {
      throw new Error(`Of ${streams} whole streams ${recorded - recordedBefore} are recorded, ${failed} as failures`);
    }
    plan.progress(`${streams} streams, each recorded once; at the start ${formatMegabytes(memory.startMb)}`);
    const what = `${plan.soakStreams} streams for ${plan.soakMs / 1000} s: resident memory`;
    return [
      toGrowth(`${what} at its peak`, { startMb: memory.startMb, thenMb: peakMb, budget: SOAK_PEAK_MB }),
      toGrowth(`${what} after ${plan.restMs / 1000} s of rest`, {
        startMb: memory.startMb,
        thenMb: restMb,
        budget: SOAK_REST_MB,
      }),
    ];
  } finally {
    await gateway.stop();
  }
}

/** How many calls the gateway has recorded in the last day, and how many of them have not ended well. */
async function countRecorded(port: number): Promise<readonly [recorded: number, failed: number]> {
  const response = await fetch(`http://127.0.0.1:${port}/admin/v1/generations/histogram?buckets=1`, {
    headers: { authorization: `Bearer ${BENCH_MANAGEMENT_KEY}` },
  });
  if (!response.ok) throw new Error(`The gateway does not count its calls: status ${response.status}`);
  const { totals } = (await response.json()) as { totals: Record<RecordedEnd, number> };
  return [totals.requests, totals.failed + totals.cancelled + totals.interrupted];
}
type RecordedEnd = 'requests' | 'failed' | 'cancelled' | 'interrupted';

/** Measures the memory of a gateway with 150 readers of a byte a second, each of 32 MB, and when they leave together. */
export async function measureSlowReaders(stage: Stage, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const format of plan.formats) figures.push(...(await measureSlowFormat(stage, plan, format)));
  return figures;
}

async function measureSlowFormat({ load, ...stage }: Stage, plan: Plan, format: Form): Promise<Figure[]> {
  const gateway = await startGatewayTarget({ load, ...stage });
  try {
    const memory = watchMemory(gateway.pid);
    const job = { script: FLOOD_32_MB.name, connections: SLOW_READERS, paused: 'slow', rampMs: SLOW_READERS } as const;
    await load.call('hold', { ...job, port: gateway.port, route: ROUTES[format] });
    await delay(FILLED_AFTER_MS);
    const heldMb = memory.takeMost();
    await load.call('release');
    await delay(LEFT_FOR_MS);
    const leftMb = memory.takeMost();
    memory.stop();
    const { startMb } = memory;
    plan.progress(`${format}: at the start ${formatMegabytes(startMb)}`);
    const what = `${SLOW_READERS} slow readers of 32 MB at ${format}: resident memory`;
    return [
      toGrowth(`${what} with them`, { startMb, thenMb: heldMb, budget: SLOW_READERS_MB }),
      toGrowth(`${what} while they leave together`, { startMb, thenMb: leftMb, budget: SLOW_READERS_MB }),
    ];
  } finally {
    await gateway.stop();
  }
}

/** Memory of an application, in megabytes: at its peak while calls go through it, and after a rest. */
interface MountedMemory {
  readonly wholeMb: number;
  readonly streamsMb: number;
  readonly restMb: number;
  /** At the start and after the rest, each after a forced collection. */
  readonly collected: readonly [NodeJS.MemoryUsage, NodeJS.MemoryUsage];
}

/** What an application relays its calls with. */
type Mounted = 'gateway' | 'proxy';

/** Calls that the process of an application serves. */
type MountedAppCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
  memory(): Promise<NodeJS.MemoryUsage>;
  /** Collects all garbage. */
  collect(): Promise<void>;
};

const GATEWAY_ROUTE: Route = { ...ROUTES.chat, path: `/ai${ROUTES.chat.path}`, modelPrefix: 'openai/' };
const PROXY_ROUTE: Route = { ...ROUTES.chat, path: '/ai/v1/chat/completions', modelPrefix: '' };

/**
 * Measures an application with a mounted gateway, which is the Express example, and one with http-proxy-middleware, which
 * keeps nothing: both started without any flag.
 */
export async function measureMounted(stage: Stage, plan: Plan): Promise<Figure[]> {
  const gateway = await measureApp(stage, plan, GATEWAY_ROUTE, 'gateway');
  const proxy = await measureApp(stage, plan, PROXY_ROUTE, 'proxy');
  const toMemory = (subject: string, part: 'wholeMb' | 'streamsMb' | 'restMb'): Figure =>
    toFigure(`mounted, ${subject}`, {
      gateway: formatMegabytes(gateway[part]),
      proxy: formatMegabytes(proxy[part]),
      value: gateway[part],
      format: formatMegabytes,
      budget: MOUNTED_MB,
    });
  const [atStart, atEnd] = gateway.collected;
  const textLength = toRequestBody(EXAMPLE.name, true, GATEWAY_ROUTE).length + textOfStream(EXAMPLE).length;
  const otherKb = ((heldBytes(atEnd) - heldBytes(atStart)) / KEPT_CALLS - textLength) / 1000;
  return [
    toMemory(`${plan.mounted.whole} whole calls: resident memory at its peak`, 'wholeMb'),
    toMemory(`${plan.mounted.streams} streams of ${EXAMPLE.chunks} chunks: resident memory at its peak`, 'streamsMb'),
    toMemory(`after ${plan.restMs / 1000} s of rest: resident memory`, 'restMb'),
    toFigure('mounted, a kept call: memory beside its texts', {
      gateway: formatKilobytes(otherKb),
      value: otherKb,
      format: formatKilobytes,
      budget: MOUNTED_CALL_KB,
    }),
  ];
}

async function measureApp(
  { load, upstreamPort }: Stage,
  plan: Plan,
  route: Route,
  mounted: Mounted,
): Promise<MountedMemory> {
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
  const app = await startWorker<MountedAppCalls>(
    'targets/mounted-app.mjs',
    [upstreamUrl, mounted, BENCH_KEY],
    'ignore',
  );
  try {
    const job = { port: await app.call('port'), route, script: EXAMPLE.name, rampMs: 0 };
    await app.call('collect');
    const atStart = await app.call('memory');
    const memory = watchMemory(app.pid);
    const whole = { stream: false, connections: 32, requests: plan.mounted.whole, minBytes: WHOLE_TEXT.length };
    await load.call('run', { ...job, durationMs: LONG_MS, ...whole });
    const wholeMb = memory.takeMost();
    const minBytes = textOfStream(EXAMPLE).length;
    const streams = { stream: true, connections: 16, requests: plan.mounted.streams, minBytes };
    await load.call('run', { ...job, durationMs: LONG_MS, ...streams });
    const streamsMb = memory.takeMost();
    await delay(plan.restMs);
    const restMb = memory.now();
    memory.stop();
    const name = mounted === 'gateway' ? 'gateway' : 'http-proxy-middleware';
    plan.progress(
      `${name}: at the start ${formatMegabytes(memory.startMb)}; after the rest ${describe(await app.call('memory'))}`,
    );
    await app.call('collect');
    const atEnd = await app.call('memory');
    plan.progress(`${name}: after a forced collection ${describe(atEnd)}`);
    return { wholeMb, streamsMb, restMb, collected: [atStart, atEnd] };
  } finally {
    await app.stop();
  }
}

const heldBytes = ({ heapUsed, arrayBuffers }: NodeJS.MemoryUsage): number => heapUsed + arrayBuffers;

function describe({ rss, heapTotal, heapUsed, external }: NodeJS.MemoryUsage): string {
  const [all, total, used, outside] = [rss, heapTotal, heapUsed, external].map((bytes) =>
    formatMegabytes(bytes / MEGABYTE),
  );
  return `${all} resident, heap ${used} of ${total}, outside of it ${outside}`;
}

/** A load that ends with its number of calls. */
const LONG_MS = 24 * 60 * 60 * 1000;

interface Growth {
  readonly startMb: number;
  readonly thenMb: number;
  readonly budget: Budget;
}

function toGrowth(subject: string, { startMb, thenMb, budget }: Growth): Figure {
  const gateway = `${formatMegabytes(startMb)} → ${formatMegabytes(thenMb)}`;
  return toFigure(subject, { gateway, value: thenMb - startMb, format: formatMegabytes, budget });
}

interface MemoryWatch {
  readonly startMb: number;
  /** The most since the last call of this. */
  takeMost(): number;
  now(): number;
  stop(): void;
}

/** Follows the resident memory of a process until it is stopped. */
function watchMemory(pid: number): MemoryWatch {
  const now = (): number => readProcessStats(pid).rssBytes / MEGABYTE;
  const startMb = now();
  let most = startMb;
  const timer = setInterval(() => (most = Math.max(most, now())), SAMPLE_EVERY_MS);
  return {
    startMb,
    now,
    takeMost() {
      const taken = most;
      most = now();
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
