import type { Route } from './bench-request.ts';

/** Requests to be sent by a number of connections, each sending its next when it has its response. */
export interface LoadJob {
  readonly port: number;
  /** Default: the gateway's own. */
  readonly route?: Route | undefined;
  /** Name of the upstream's script. */
  readonly script: string;
  readonly stream: boolean;
  readonly connections: number;
  readonly durationMs: number;
  /** The connections begin spread over this time; responses to requests sent in it are not timed. */
  readonly rampMs: number;
  /** A shorter response is wrong. */
  readonly minBytes: number;
}

/** Half of all values are at most `p50`, ninety-nine in a hundred at most `p99`. */
export interface Distribution {
  readonly p50: number;
  readonly p99: number;
}

/** Measurements of a load. */
export interface LoadResult {
  /** All of them, those of the ramp included. */
  readonly requests: number;
  readonly elapsedMs: number;
  readonly latencyMs: Distribution;
  readonly firstEventMs: Distribution;
}

/** Streams to be opened and held. */
export interface HoldJob {
  readonly port: number;
  readonly script: string;
  readonly connections: number;
  /** The streams are opened spread over this time. */
  readonly rampMs: number;
  /** Whether readers stop reading at the first event. */
  readonly paused: boolean;
}

/** Calls that the load's process serves. */
export type LoadCalls = {
  /** Rejects when any response was wrong. */
  run(job: LoadJob): Promise<LoadResult>;
  /** Resolves when every stream has begun. */
  hold(job: HoldJob): Promise<void>;
  /** Drops the held streams; resolves with how many of them had ended before. */
  release(): Promise<number>;
};
