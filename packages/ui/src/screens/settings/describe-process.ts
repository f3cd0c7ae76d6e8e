import type { Instance } from '@model-gateway/core/wire';

/** Which process responds: `gw-2, process 4711, worker 2 of 4`; null where the host does not tell. */
export function describeProcess({
  host,
  process_id: id,
  worker,
}: Pick<Instance, 'host' | 'process_id' | 'worker'>): string | null {
  const parts = [
    host,
    id === null ? null : `process ${id}`,
    worker === null ? null : `worker ${worker.number} of ${worker.of}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
