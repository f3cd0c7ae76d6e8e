import { setTimeout as delay } from 'node:timers/promises';

import { serveCalls } from '../processes/worker.ts';
import { mean, percentile } from '../report/statistics.ts';
import { STREAM_ENDS, toRequestBytes } from './bench-request.ts';
import { type LoadResponse, type LoadConnection, openLoadConnection } from './load-connection.ts';
import type { HoldJob, LoadCalls, LoadJob, LoadResult } from './load-job.ts';

interface Held {
  readonly connections: readonly LoadConnection[];
  ended: number;
}

let held: Held | undefined;

async function run(job: LoadJob): Promise<LoadResult> {
  const { port, route, script, stream, connections, durationMs, rampMs, requests: most = Infinity, bursts } = job;
  const request = toRequestBytes(port, script, stream, route);
  const latencyMs: number[] = [];
  const firstEventMs: number[] = [];
  let requests = 0;
  let sent = 0;
  const startedAt = performance.now();
  const open = Array.from({ length: connections }, () => openLoadConnection({ port, request }));

  const drive = async (connection: LoadConnection, index: number): Promise<void> => {
    if (rampMs > 0) await delay((rampMs * index) / connections);
    for (let ofConnection = 0; ; ofConnection += 1) {
      if (bursts !== undefined && ofConnection > 0 && ofConnection % bursts.requests === 0) await delay(bursts.restMs);
      const sentAfterMs = performance.now() - startedAt;
      if (sentAfterMs >= durationMs || sent >= most) return;
      sent += 1;
      const response = await connection.send();
      refuseWrongResponse(response, job);
      requests += 1;
      if (sentAfterMs < rampMs) continue;
      latencyMs.push(response.totalMs);
      firstEventMs.push(response.firstEventMs);
    }
  };
  try {
    await Promise.all(open.map(drive));
    const elapsedMs = performance.now() - startedAt;
    return { requests, elapsedMs, latencyMs: toDistribution(latencyMs), firstEventMs: toDistribution(firstEventMs) };
  } finally {
    for (const connection of open) connection.close();
  }
}

function refuseWrongResponse({ status, bytes, tail }: LoadResponse, { stream, minBytes, route }: LoadJob): void {
  if (status !== 200) throw new Error(`a response under load had status ${status}: … ${tail}`);
  if (bytes < minBytes) throw new Error(`a response under load had ${bytes} bytes, which is too few`);
  if (stream && !tail.includes(STREAM_ENDS[route?.form ?? 'chat']))
    throw new Error(`a stream under load ended with ${JSON.stringify(tail)}`);
}

function toDistribution(values: readonly number[]): LoadResult['latencyMs'] {
  return { mean: mean(values), p50: percentile(values, 50), p99: percentile(values, 99) };
}

async function hold({ port, route, script, connections, rampMs, paused }: HoldJob): Promise<void> {
  const request = toRequestBytes(port, script, true, route);
  const opened: LoadConnection[] = [];
  const streams: Held = { connections: opened, ended: 0 };
  held = streams;
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const connection = openLoadConnection({
        port,
        request,
        isSlow: paused === 'slow',
        onFirstEvent() {
          if (paused === true) connection.setPaused(true);
          resolve();
        },
      });
      opened.push(connection);
      const onEnd = (error?: Error): void => {
        streams.ended += 1;
        reject(error ?? new Error('a stream ended at once'));
      };
      connection.send().then(() => onEnd(), onEnd);
    });
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      await delay((rampMs * index) / connections);
      await open();
    }),
  );
}

async function release(): Promise<number> {
  const { connections = [], ended = 0 } = held ?? {};
  held = undefined;
  for (const connection of connections) connection.close();
  return ended;
}

const calls: LoadCalls = { run, hold, release };
serveCalls(calls);
