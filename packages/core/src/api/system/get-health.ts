import { publicOperation } from '../../http/operation.ts';
import { healthSchema } from '../../wire/management/system.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /health`: the process responds. `degraded` means that some generations could not be recorded recently. */
export const getHealth = publicOperation<SystemParts>()({
  response: healthSchema,
  run: ({ parts: { counters } }) => ({ status: counters.recordFailures === 0 ? 'ok' : 'degraded' }),
});
