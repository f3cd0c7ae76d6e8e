/** All time limits of the gateway, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly nonStreamMs: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly keepAliveMs: number;
  readonly clientWriteMs: number;
  readonly drainMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 120_000,
  nonStreamMs: 600_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 3_600_000,
  keepAliveMs: 10_000,
  clientWriteMs: 120_000,
  drainMs: 30_000,
};
