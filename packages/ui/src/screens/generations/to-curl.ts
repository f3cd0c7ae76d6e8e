import type { Generation, GenerationContent } from '../../api/types.ts';
import { toBaseUrl } from '../../shell/base-url.ts';

/** A command that sends the stored prompt again, with the key in a variable. Parameters beside the messages are not stored. */
export function toCurl(call: Pick<Generation, 'model' | 'streamed'> & { readonly content: GenerationContent }): string {
  const { messages, prompt } = call.content.input;
  const body = {
    model: call.model,
    messages: messages ?? [{ role: 'user', content: prompt ?? '' }],
    ...(call.streamed === true && { stream: true }),
  };
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -sS${call.streamed === true ? 'N' : ''} ${toBaseUrl()}/chat/completions \\\n  -H "authorization: Bearer $GATEWAY_API_KEY" \\\n  -H 'content-type: application/json' \\\n  -d '${quoted}'\n`;
}
