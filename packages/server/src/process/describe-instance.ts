import { hostname } from 'node:os';
import process from 'node:process';

import { type InstanceFacts, VERSION } from '@model-gateway/core';

import type { WorkerPlace } from '../workers/worker-place.ts';

/** What operators are told of this process. `place` is null where it has no other workers. */
export const describeInstance = (place: WorkerPlace | null): InstanceFacts => ({
  version: VERSION,
  host: hostname(),
  processId: process.pid,
  worker: place === null ? undefined : { number: place.slot, of: place.of },
});
