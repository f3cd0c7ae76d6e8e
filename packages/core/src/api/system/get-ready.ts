import { publicOperation } from '../../http/operation.ts';
import { readinessSchema } from '../../wire/management/system.ts';
import type { SystemParts } from './system-parts.ts';

/** `GET /ready`: new calls are taken. While the gateway closes, every response is a 503 already. */
export const getReady = publicOperation<SystemParts>()({
  response: readinessSchema,
  run: () => ({ status: 'ready' }),
});
