import type { Dialect } from '../../chat/dialect.ts';
import { toErrorBody } from '../../foundation/errors.ts';
import { parseChatCompletion } from '../../wire/chat/parse-chat-completion.ts';
import { createFrameEncoder, DONE_FRAME, KEEP_ALIVE_FRAME } from './frame-encoder.ts';
import { isReasoningHidden } from './is-reasoning-hidden.ts';
import { toResult } from './to-result.ts';

/** `POST /chat/completions`: the form that calls have within the gateway, so that nothing is converted. */
export const chatCompletionsDialect: Dialect = {
  keepAlive: KEEP_ALIVE_FRAME,

  parse: (body) => ({ request: parseChatCompletion(body) }),

  createFrames(envelope, request) {
    const encoder = createFrameEncoder(envelope, isReasoningHidden(request));
    return {
      encode: encoder.encode,
      encodeEcho: encoder.encodeEcho,
      // The last chunk carries the members, whichever that is.
      encodeEnd: ({ reason, native, usage, members }) =>
        usage === undefined
          ? encoder.encodeFinish(reason, native, members) + DONE_FRAME
          : encoder.encodeFinish(reason, native) + encoder.encodeUsage(usage, members) + DONE_FRAME,
      encodeError: (error) => encoder.encodeError(toErrorBody(error), error.beside) + DONE_FRAME,
    };
  },

  toWhole: (completion, request) => toResult(completion, isReasoningHidden(request)),
};
