import type { Budget } from './figure.ts';

/** Section 8 of the design: CPU per request in times the bare proxy's. */
export const CPU_WHOLE: Budget = { limit: 2, stretch: 1.5 };
export const CPU_STREAMED: Budget = { limit: 1.8, stretch: 1.4 };
/** Added milliseconds to the first token, at 100 concurrent streams. */
export const FIRST_TOKEN_P50_MS: Budget = { limit: 1 };
export const FIRST_TOKEN_P99_MS: Budget = { limit: 10 };
/** Resident memory with 1,000 open streams. */
export const OPEN_STREAMS_MB: Budget = { limit: 300 };
/** Growth of resident memory with readers who have stopped reading. */
export const PAUSED_READERS_MB: Budget = { limit: 256 };
/** From the start of the process to listening. */
export const LISTENING_10_000_MS: Budget = { limit: 400 };
export const LISTENING_100_000_MS: Budget = { limit: 1500 };
/** A page "costs the same at either size": the tolerance is ours, for what caches and clocks do to microseconds. */
export const PAGE_GROWTH: Budget = { limit: 1.5 };
