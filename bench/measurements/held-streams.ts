import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { HoldJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { OPEN_STREAMS_MB, PAUSED_READERS_MB } from '../report/budgets.ts';
import { type Budget, type Figure, formatMegabytes, toFigure } from '../report/figure.ts';
import { type Pair, type Stage, type Target, withTargets } from '../targets/start-targets.ts';
import { FLOOD_100_MB, FLOOD_32_MB, OPEN, type UpstreamScript } from '../targets/upstream-script.ts';

const MEGABYTE = 1_000_000;
const SAMPLE_EVERY_MS = 250;

interface Memory {
  readonly restMb: number;
  /** The largest value while the streams were held. */
  readonly heldMb: number;
}

/** Measures the memory of a thousand streams that are open and get a token now and then. */
export async function measureOpenStreams(stage: Stage, plan: Plan): Promise<Figure[]> {
  const connections = 1000;
  const { gateway, proxy } = await holdInTurn(stage, plan, { script: OPEN, connections, paused: false });
  return [
    toMemoryFigure('no streams: resident memory', { gateway: gateway.restMb, proxy: proxy.restMb }),
    toMemoryFigure(
      `${connections} open streams: resident memory`,
      { gateway: gateway.heldMb, proxy: proxy.heldMb },
      OPEN_STREAMS_MB,
    ),
  ];
}

/** Measures by how much memory grows when readers of large responses stop reading. */
export async function measurePausedReaders(stage: Stage, plan: Plan): Promise<Figure[]> {
  const figures = [await holdPaused(stage, plan, FLOOD_100_MB, 40)];
  if (plan.isFull) figures.push(await holdPaused(stage, plan, FLOOD_32_MB, 1000));
  return figures;
}

async function holdPaused(stage: Stage, plan: Plan, script: UpstreamScript, connections: number): Promise<Figure> {
  const { gateway, proxy } = await holdInTurn(stage, plan, { script, connections, paused: true });
  const size = Math.round((script.chunks * (script.chunkChars ?? 0)) / MEGABYTE);
  const growth = { gateway: gateway.heldMb - gateway.restMb, proxy: proxy.heldMb - proxy.restMb };
  return toMemoryFigure(`${connections} paused readers of ${size} MB: growth of memory`, growth, PAUSED_READERS_MB);
}

function toMemoryFigure(subject: string, { gateway, proxy }: Pair<number>, budget?: Budget): Figure {
  const [gatewayText, proxyText] = [formatMegabytes(gateway), formatMegabytes(proxy)];
  return toFigure(subject, { gateway: gatewayText, proxy: proxyText, value: gateway, format: formatMegabytes, budget });
}

interface Holding extends Pick<HoldJob, 'connections' | 'paused'> {
  readonly script: UpstreamScript;
}

function holdInTurn(stage: Stage, plan: Plan, holding: Holding): Promise<Pair<Memory>> {
  return withTargets(stage, async ({ gateway, proxy }) => ({
    proxy: await hold(stage, plan, { ...holding, target: proxy }),
    gateway: await hold(stage, plan, { ...holding, target: gateway }),
  }));
}

async function hold(
  { load, upstream }: Stage,
  plan: Plan,
  { target, script, connections, paused }: Holding & { readonly target: Target },
): Promise<Memory> {
  const restMb = readProcessStats(target.pid).rssBytes / MEGABYTE;
  const kernelBefore = readKernelSocketBytes();
  await load.call('hold', { port: target.port, script: script.name, connections, paused, rampMs: connections });
  const heldMb = await watchMemory(target, plan.holdMs);
  const sentMb = (await upstream.call('bytesInOpenStreams')) / MEGABYTE;
  const kernelMb = (readKernelSocketBytes() - kernelBefore) / MEGABYTE;
  const ended = await load.call('release');
  if (ended > 0) throw new Error(`${ended} of ${connections} held streams ended, through the ${target.name}`);
  plan.progress(`${target.name}: ${formatMegabytes(restMb)} at rest, ${formatMegabytes(heldMb)} with the streams`);
  // The socket buffers belong to the kernel and are not in the memory of the process.
  if (paused)
    plan.progress(`upstream had sent ${formatMegabytes(sentMb)}, socket buffers held ${formatMegabytes(kernelMb)}`);
  return { restMb, heldMb };
}

async function watchMemory({ pid }: Target, durationMs: number): Promise<number> {
  const until = performance.now() + durationMs;
  let mostBytes = 0;
  while (performance.now() < until) {
    mostBytes = Math.max(mostBytes, readProcessStats(pid).rssBytes);
    await delay(SAMPLE_EVERY_MS);
  }
  return mostBytes / MEGABYTE;
}

/** Memory that the kernel keeps for all TCP sockets of this machine; NaN where the kernel does not report it. */
function readKernelSocketBytes(): number {
  try {
    return Number(/^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]) * 4096;
  } catch {
    return Number.NaN;
  }
}
