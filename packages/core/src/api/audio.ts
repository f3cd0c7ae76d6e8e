import {
  amendRequest,
  CALL_HEADERS,
  CALL_RESPONSE_HEADERS,
  type HookedRequest,
  receiveCall,
} from '../calls/model-call.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { runSpeech, speechKind } from '../speech/speech.ts';
import { speechRequestSchema } from '../wire/speech.ts';
import type { WholeKindParts } from './whole-call.ts';

/** `POST /audio/speech`: the bytes as they come; errors before the first one are JSON. */
export const createSpeech = operation<WholeKindParts>()({
  headers: CALL_HEADERS,
  body: speechRequestSchema,
  response: { mediaTypes: { 'audio/*': null } },
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run({ body, ...context }) {
    const hooked: HookedRequest = { kind: 'speech', request: body };
    const request = await amendRequest(hooked, (value) => parseWith(speechRequestSchema, value), context);
    return runSpeech(receiveCall(speechKind, request, context), context);
  },
});
