import { isRecord, readCount, parseReturned } from '../../foundation/parse.ts';
import { readErrorText, readText } from '../../foundation/transport.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { ChatCall } from '../provider.ts';
import { readAnthropicErrorBody } from './read-anthropic-error.ts';
import { toAnthropicRequest } from './request/to-anthropic-request.ts';
import { toNativeBody, toNativeHeaders } from './request/to-native-body.ts';

/** Fields of a request that counting refuses: what a prompt consists of is all it takes. */
const REFUSED: readonly string[] = [
  'max_tokens',
  'stream',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
];

/** Asks upstream for the number of tokens of a prompt; undefined when it names none. Throws as a call does. */
export async function countAnthropicTokens(upstream: Upstream, call: ChatCall): Promise<number | undefined> {
  const { native, timeouts } = call;
  const isNative = native?.form === 'messages';
  const whole = isNative ? toNativeBody(call, native) : toAnthropicRequest(call);
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => !REFUSED.includes(name)));
  const response = await upstream.transport.send({
    method: 'POST',
    url: `${upstream.baseUrl}/messages/count_tokens`,
    headers: {
      ...upstream.headers,
      'content-type': 'application/json',
      ...(isNative && toNativeHeaders(native, upstream.headers)),
    },
    body: JSON.stringify(body),
    signal: call.signal,
    headersTimeoutMs: timeouts.headersMs,
    idleTimeoutMs: timeouts.idleMs,
    totalTimeoutMs: timeouts.headersMs,
  });
  if (response.status !== 200) {
    throw toRefusalError(upstream, readAnthropicErrorBody, response, await readErrorText(response.body));
  }
  const counted = parseReturned(await readText(response.body), upstream.name);
  return isRecord(counted) ? readCount(counted['input_tokens']) : undefined;
}
