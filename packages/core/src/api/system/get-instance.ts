import type { Engine } from '../../foundation/host.ts';
import { operation } from '../../http/operation.ts';
import { type Instance, instanceSchema } from '../../wire/account.ts';
import { findTrouble } from './find-trouble.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /admin/v1/instance`: which process of the gateway responds, how it is, and what it keeps things in. */
export const getInstance = operation<SystemParts>()({
  response: instanceSchema,
  run({ parts }) {
    const { instance: { version, host, processId, worker } = {}, shared, store } = parts;
    const found = findTrouble(parts);
    return {
      data: {
        id: parts.instanceId(),
        version: version ?? null,
        host: host ?? null,
        process_id: processId ?? null,
        worker: worker ?? null,
        trouble: found?.trouble ?? null,
        reason: found?.reason ?? null,
        store: toEngine(store.engine),
        shared: toEngine(shared?.engine),
      },
    };
  },
});

function toEngine(engine: Engine | undefined): Instance['store'] {
  if (engine === undefined) return null;
  const { type, address, database = null } = engine;
  return { type, address, database, outage: engine.outage?.() ?? null };
}
