import { toErrorBody } from '../../foundation/errors.ts';
import type { ErrorForm } from '../../http/response.ts';

/** Errors of this form: the message alone. Clients take 404 for a model that does not exist. */
export const ollamaErrors: ErrorForm = {
  toResponse: (error) => ({
    status: error.code === 'unknown_model' ? 404 : error.status,
    body: { error: toErrorBody(error).message },
  }),
  schema: { title: 'OllamaError', type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
};
