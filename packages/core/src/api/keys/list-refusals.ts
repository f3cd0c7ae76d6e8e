import { operation } from '../../http/operation.ts';
import { refusalListSchema, refusalQuerySchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';

/** `GET /admin/v1/refusals`: requests of tools that were refused since the start, and why. */
export const listRefusals = operation<KeyParts>()({
  query: refusalQuerySchema,
  response: refusalListSchema,
  async run({ parts, query: { key, since = 0 } }) {
    const found = parts.refusals
      .list()
      .filter(({ atMs, principalId: id }) => atMs >= since && (key === undefined || id === null || id === key));
    return {
      data: found.map(({ atMs, method, path, error, principalId, userAgent }) => ({
        at: new Date(atMs).toISOString(),
        method,
        path,
        status: error.status,
        error_type: error.errorType,
        message: error.message,
        key_hash: principalId,
        user_agent: userAgent,
      })),
    };
  },
});
