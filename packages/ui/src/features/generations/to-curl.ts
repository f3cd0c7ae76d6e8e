import type { ChatCompletionRequest, Generation } from '@model-gateway/core/wire';

import type { GenerationContent } from '../../api/types.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { messagesOf } from './content/messages-of.ts';

/** Linux takes no more than 128 KB of one argument; an attached image is larger than that. */
const MAX_ARGUMENT = 100_000;

/** A command that sends the stored prompt again, with the key in a variable. Other parameters are not stored. */
export function toCurl(call: Pick<Generation, 'model' | 'streamed'> & { readonly content: GenerationContent }): string {
  return toChatCurl({
    model: call.model,
    messages: messagesOf(call.content),
    ...(call.streamed === true && { stream: true }),
  });
}

/** A command that sends a chat request, with the key in a variable. */
export function toChatCurl(body: Pick<ChatCompletionRequest, 'stream'> & Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(body);
  const start = `curl -sS${body.stream === true ? 'N' : ''} ${toBaseUrl()}/chat/completions \\\n  -H "authorization: Bearer $GATEWAY_API_KEY" \\\n  -H 'content-type: application/json' \\\n`;
  // JSON has its line ends escaped, so that none of its lines can be the closing one.
  if (text.length > MAX_ARGUMENT) return `${start}  --data-binary @- <<'JSON'\n${text}\nJSON\n`;
  return `${start}  -d '${text.replaceAll("'", "'\\''")}'\n`;
}
