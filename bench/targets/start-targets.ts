import type { Route } from '../load/bench-request.ts';
import type { LoadCalls } from '../load/load-job.ts';
import { startWorker, type Worker } from '../processes/worker.ts';
import type { BareProxyCalls } from './bare-proxy.ts';
import { checkResponses } from './check-responses.ts';
import { startGateway } from './start-gateway.ts';
import type { WireName } from './upstream-wires.ts';
import type { UpstreamCalls } from './upstream.ts';

/** A server that requests are sent to and that is measured. */
export interface Target {
  readonly name: 'gateway' | 'workers' | 'bare proxy' | 'Portkey' | 'llms';
  readonly port: number;
  /** Default: the gateway's own for chat completions. */
  readonly route?: Route | undefined;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Parts that every measurement uses: the upstream and the load generator. They run as long as the bench. */
export interface Stage {
  readonly upstream: Worker<UpstreamCalls>;
  readonly upstreamPort: number;
  readonly load: Worker<LoadCalls>;
}

/** One value for each target. */
export interface Pair<T> {
  readonly gateway: T;
  /** The bare proxy's, or that of whatever else the gateway is compared with. */
  readonly proxy: T;
}

/** Starts the upstream and the load generator. */
export async function setStage(): Promise<Stage> {
  const [upstream, load] = await Promise.all([
    startWorker<UpstreamCalls>('targets/upstream.ts'),
    startWorker<LoadCalls>('load/load.ts'),
  ]);
  return { upstream, load, upstreamPort: await upstream.call('port') };
}

/** The form in which a gateway is asked, and the wire by which it asks the upstream. */
export interface GatewayRoute {
  readonly route?: Route;
  readonly wire?: WireName;
}

/** Starts a new gateway over the upstream. Default: chat completions on both sides. */
export async function startGatewayTarget({ upstreamPort }: Stage, { route, wire }: GatewayRoute = {}): Promise<Target> {
  return { name: 'gateway', route, ...(await startGateway({ upstreamPort, wire })) };
}

/** Starts a new bare proxy over the upstream. */
export async function startProxyTarget({ upstreamPort }: Stage): Promise<Target> {
  const worker = await startWorker<BareProxyCalls>('targets/bare-proxy.ts', [String(upstreamPort)]);
  return { name: 'bare proxy', pid: worker.pid, port: await worker.call('port'), stop: () => worker.stop() };
}

/**
 * Runs something on a new gateway and a new bare proxy or other target, whose responses are checked before and after.
 */
export async function withTargets<T>(
  stage: Stage,
  measure: (targets: Pair<Target>) => Promise<T>,
  startOther: (stage: Stage) => Promise<Target> = startProxyTarget,
): Promise<T> {
  const [gateway, proxy] = await Promise.all([startGatewayTarget(stage), startOther(stage)]);
  return withChecked([gateway, proxy], () => measure({ gateway, proxy }));
}

/** Runs something on targets whose responses are checked before and after; stops them. */
export async function withChecked<T>(targets: readonly Target[], measure: () => Promise<T>): Promise<T> {
  const check = (): Promise<unknown> => Promise.all(targets.map((target) => checkResponses(target)));
  try {
    await check();
    const measured = await measure();
    await check();
    return measured;
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
