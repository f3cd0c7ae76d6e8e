import type { CreateRateCounter } from '@model-gateway/core';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_S = 60;

/** Counts in the memory of this process. A minute begins with the first call that is counted in it. */
export const createMemoryRateCounter: CreateRateCounter = ({ limitPerMinute }) => {
  const limiter = new RateLimiterMemory({ points: limitPerMinute, duration: WINDOW_S });
  return {
    async take(id) {
      try {
        const { msBeforeNext } = await limiter.consume(id);
        return { isExceeded: false, resetInMs: msBeforeNext };
      } catch (rejected) {
        // The library rejects with a plain result when the limit is exceeded, and with an error when it cannot tell.
        if (rejected instanceof Error) throw rejected;
        return { isExceeded: true, resetInMs: (rejected as RateLimiterRes).msBeforeNext };
      }
    },
    async look(id) {
      const counted = await limiter.get(id);
      if (counted === null) return { isExceeded: false, resetInMs: 0 };
      return { isExceeded: counted.consumedPoints >= limitPerMinute, resetInMs: counted.msBeforeNext };
    },
    async add(id, points) {
      await limiter.penalty(id, points);
    },
  };
};
