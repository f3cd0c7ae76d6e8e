import { createModelCall, type ModelCall } from '../calls/model-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { createGenerationId } from '../foundation/random-id.ts';
import type { Principal } from '../http/principal.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { RegionOf } from '../routing/region-of.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { chatKind } from './chat-kind.ts';

const MAX_SESSION_ID_LENGTH = 256;

interface CallParts {
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  readonly regionOf: RegionOf;
}

/** Makes the call of a checked chat request. Throws `invalid_request` for a session in the headers that is too long. */
export function createChatCall(
  request: ChatCompletionRequest,
  http: GatewayRequest,
  principal: Principal,
  { platform, regionOf }: CallParts,
): ModelCall<ChatCompletionRequest> {
  const { headers } = http;
  const headerSession = firstValue(headers['x-session-id']) ?? null;
  if (request.session_id == null && headerSession !== null && headerSession.length > MAX_SESSION_ID_LENGTH) {
    throw new GatewayError('invalid_request', `x-session-id: must have at most ${MAX_SESSION_ID_LENGTH} characters`);
  }
  const id = createGenerationId(platform);
  return createModelCall({ id, kind: chatKind, request, principal, region: regionOf(http), headers, headerSession });
}
