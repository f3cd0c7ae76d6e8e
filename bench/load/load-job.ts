import type { Route } from './bench-request.ts';

/** Requests that a number of connections send; each sends its next when it has the response to the last. */
export interface LoadJob {
  readonly port: number;
  /** Default: the gateway's own for chat completions. */
  readonly route?: Route | undefined;
  /** Name of the upstream's script. */
  readonly script: string;
  readonly stream: boolean;
  readonly connections: number;
  readonly durationMs: number;
  /** Ends earlier, with this many. Default: no limit. */
  readonly requests?: number;
  /** The connections open spread over this time; responses to requests sent in it are not timed. */
  readonly rampMs: number;
  /** A shorter response is wrong. */
  readonly minBytes: number;
  /** Each connection rests after so many requests. Default: it never does. */
  readonly bursts?: { readonly requests: number; readonly restMs: number } | undefined;
}

/** The mean of all values, their median, and their 99th percentile. */
export interface Distribution {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}

/** Measurements of a load. */
export interface LoadResult {
  /** Number of all requests, those of the ramp included. */
  readonly requests: number;
  readonly elapsedMs: number;
  readonly latencyMs: Distribution;
  readonly firstEventMs: Distribution;
}

/** Streams that are opened and held. */
export interface HoldJob {
  readonly port: number;
  /** Default: the gateway's own for chat completions. */
  readonly route?: Route | undefined;
  readonly script: string;
  readonly connections: number;
  /** The streams are opened spread over this time. */
  readonly rampMs: number;
  /** Whether readers stop reading at the first event; `slow`: then they read a byte a second. */
  readonly paused: boolean | 'slow';
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
