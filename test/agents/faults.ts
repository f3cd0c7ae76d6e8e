import type { Wire } from './tell-turn.ts';
import { toData, toEvent } from './turn.ts';

/**
 * What is wrong with a model:
 *
 * - `refuses`, `limits`, `overloads`: every request is answered with an error status
 * - `breaks`: once the connection breaks after the first words of the second response
 * - `errs`: the same, with an event that says so
 * - `halts`: the first words of the second response, and no more
 */
export const FAULTS = ['none', 'refuses', 'limits', 'overloads', 'breaks', 'errs', 'halts'] as const;
export type Fault = (typeof FAULTS)[number];

export const REFUSALS: Readonly<Partial<Record<Fault, number>>> = { refuses: 503, limits: 429, overloads: 529 };

/** How each wire says in a stream that it cannot go on. */
export const toErrorEvent: Readonly<Record<Wire, string>> = {
  openai: toData({ error: { message: 'Out of memory', type: 'server_error', code: 500 } }),
  anthropic: toEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  google: toData({ error: { code: 503, message: 'The service is unavailable', status: 'UNAVAILABLE' } }),
  'openai-responses': toEvent({
    type: 'response.failed',
    response: {
      id: 'resp_up',
      object: 'response',
      status: 'failed',
      output: [],
      error: { code: 'server_error', message: 'The server had an error' },
    },
  }),
};
