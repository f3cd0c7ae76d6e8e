import type { Dialect } from '../../chat/dialect.ts';
import { parseWith } from '../../foundation/parse.ts';
import { withNative } from '../../wire/chat-chunk.ts';
import { responsesRequestSchema } from '../../wire/responses.ts';
import { createResponseEncoder } from './response-encoder.ts';
import { toChatRequest } from './to-chat-request.ts';
import { nameTools } from './tool-names.ts';

/** `POST /responses`: OpenAI's newer form of a chat call, without anything that is kept (wire.md 22.2). */
export const responsesDialect: Dialect = {
  door: 'responses',
  parse(body) {
    const checked = parseWith(responsesRequestSchema, body);
    const names = nameTools(checked);
    const request = withNative(toChatRequest(checked, names), {
      form: 'responses',
      body: body as Readonly<Record<string, unknown>>,
      headers: {},
      read(other) {
        const again = parseWith(responsesRequestSchema, other);
        return toChatRequest(again, nameTools(again));
      },
    });
    return { request, encoder: createResponseEncoder(checked, names) };
  },
};
