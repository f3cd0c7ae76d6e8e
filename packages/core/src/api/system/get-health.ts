import { publicOperation } from '../../http/operation.ts';
import { healthSchema } from '../../wire/account.ts';
import { findTrouble } from './find-trouble.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /health`: the process responds. `degraded` means that some generations could not be recorded since the start. */
export const getHealth = publicOperation<SystemParts>()({
  response: healthSchema,
  run({ parts }) {
    const found = findTrouble(parts);
    const status = parts.counters.recordFailures === 0 ? 'ok' : 'degraded';
    // Anybody may ask: why is for management alone.
    return found === null ? { status } : { status, trouble: found.trouble };
  },
});
