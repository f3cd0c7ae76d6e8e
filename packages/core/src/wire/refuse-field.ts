import { GatewayError } from '../foundation/errors.ts';

/**
 * The error for a field that a wire cannot express: `invalid_request` that names it, in the form of a failed check of
 * the body. `path` is dotted: `messages.0.content.1.input_audio`.
 */
export function refuseField(path: string, problem: string): GatewayError {
  return new GatewayError('invalid_request', `${path}: ${problem}`, {
    metadata: { issues: [{ path, message: problem }] },
  });
}
