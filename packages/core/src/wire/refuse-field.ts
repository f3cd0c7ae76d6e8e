import { GatewayError } from '../foundation/errors.ts';

/** `invalid_request` for what a wire cannot express. `path` is dotted: `messages.0.content.1.input_audio`. */
export function refuseField(path: string, problem: string): GatewayError {
  return new GatewayError('invalid_request', `${path}: ${problem}`, {
    metadata: { issues: [{ path, message: problem }] },
  });
}
