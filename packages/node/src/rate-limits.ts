export { createMemoryRateCounter } from './rate-limits/create-memory-rate-counter.ts';
