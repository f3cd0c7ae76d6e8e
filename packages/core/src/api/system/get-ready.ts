import { GatewayError } from '../../foundation/errors.ts';
import { publicOperation } from '../../http/operation.ts';
import { readinessSchema } from '../../wire/account.ts';
import type { SystemParts } from './system-parts.ts';

const ASK_AGAIN_AFTER_SECONDS = 1;

/** `GET /ready`: new calls are taken. While the gateway closes, every response is a 503 already. */
export const getReady = publicOperation<SystemParts>()({
  response: readinessSchema,
  run({ parts: { store } }) {
    const readiness = store.readiness?.();
    if (readiness?.isReady === false) {
      throw new GatewayError('provider_overloaded', `The gateway is not ready: ${readiness.reason}`, {
        retryAfterSeconds: ASK_AGAIN_AFTER_SECONDS,
      });
    }
    return { status: 'ready' };
  },
});
