import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { cancelledSchema } from '../../wire/generation-feed.ts';
import type { GenerationParts } from './generation-parts.ts';

/**
 * `POST /admin/v1/generations/{id}/cancel`: ends a call under way. Its client gets an error, the connection to its
 * provider is closed, and it is recorded with what it has cost so far.
 */
export const cancelGeneration = operation<GenerationParts>()({
  params: ['id'],
  response: cancelledSchema,
  async run(context) {
    const { id } = context.params;
    const { openCalls, logger } = context.parts;
    const error = new GatewayError('call_cancelled', 'The operator of the gateway cancelled this call', {
      metadata: { reason: 'cancelled_by_operator' },
    });
    if (openCalls.interrupt(id, error)) {
      logger.info('a call was cancelled by the operator', { id, by: context.principal.name });
      return { cancelled: true as const };
    }
    if (!openCalls.has(id)) await findReadableGeneration(id, context);
    throw new GatewayError('conflict', `Generation ${id} has ended, so there is nothing to cancel`);
  },
});
