import type { TransportRequest } from '../../foundation/transport.ts';
import type { ChatCall } from '../provider.ts';

/** The limits that a chat call sets to its transport. */
export function toCallLimits({
  stream,
  signal,
  timeouts,
}: ChatCall): Pick<TransportRequest, 'signal' | 'headersTimeoutMs' | 'idleTimeoutMs' | 'totalTimeoutMs'> {
  // An unstreamed completion sends nothing until it is whole, so only the limit on the whole applies.
  return stream
    ? {
        signal,
        headersTimeoutMs: timeouts.headersMs,
        idleTimeoutMs: timeouts.idleMs,
        totalTimeoutMs: timeouts.totalMs,
      }
    : {
        signal,
        headersTimeoutMs: timeouts.nonStreamMs,
        idleTimeoutMs: timeouts.nonStreamMs,
        totalTimeoutMs: timeouts.nonStreamMs,
      };
}
