import { type GatewayError, toErrorBody } from '../../foundation/errors.ts';
import type { ErrorForm } from '../../http/response.ts';

/** The names of this form for the gateway's typed errors; any other is `api_error` (wire.md 22.1). */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['authentication', 'authentication_error'],
  ['permission_denied', 'permission_error'],
  ['payment_required', 'billing_error'],
  ['not_found', 'not_found_error'],
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['provider_overloaded', 'overloaded_error'],
  ['timeout', 'timeout_error'],
  ['payload_too_large', 'request_too_large'],
  ['invalid_request', 'invalid_request_error'],
  ['context_length_exceeded', 'invalid_request_error'],
  ['content_policy_violation', 'invalid_request_error'],
  ['unprocessable', 'invalid_request_error'],
]);

/** The error envelope of this form, of a response and of a stream. `generationId`: null before there is one. */
export function toErrorEvent(error: GatewayError, generationId: string | null): object {
  const { message, metadata } = toErrorBody(error);
  const { error_type, ...facts } = metadata;
  const type = isUnknownModel(error) ? 'not_found_error' : (TYPES.get(error_type) ?? 'api_error');
  return {
    type: 'error',
    error: { type, message, error_type },
    request_id: generationId,
    ...(Object.keys(facts).length > 0 && { metadata: facts }),
    ...error.beside,
  };
}

/** Anthropic's clients take 404 for a model that does not exist, and say so to their user. */
const isUnknownModel = ({ code }: GatewayError): boolean => code === 'unknown_model';

const text = { type: 'string' };

/** Errors of this form. */
export const messagesErrors: ErrorForm = {
  toResponse: (error, generationId) => ({
    status: isUnknownModel(error) ? 404 : error.status,
    body: toErrorEvent(error, generationId),
  }),
  schema: {
    title: 'MessagesError',
    type: 'object',
    properties: {
      type: { const: 'error' },
      error: {
        type: 'object',
        properties: { type: text, message: text, error_type: text },
        required: ['type', 'message', 'error_type'],
      },
      request_id: { type: ['string', 'null'] },
      metadata: { type: 'object' },
    },
    required: ['type', 'error', 'request_id'],
  },
};
