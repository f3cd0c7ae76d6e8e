import { GatewayError } from '../foundation/errors.ts';

/** `invalid_request` for one field, as its schema would refuse it. `path` is dotted: `messages.0.content.1.input_audio`. */
export function refuseField(path: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `${path}: ${problem}`, {
    cause,
    metadata: { issues: [{ path, message: problem }] },
  });
}
