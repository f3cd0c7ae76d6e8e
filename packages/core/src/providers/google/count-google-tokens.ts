import { isRecord, parseReturned, readCount } from '../../foundation/parse.ts';
import { readErrorText, readText } from '../../foundation/transport.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { ChatCall } from '../provider.ts';
import { toModelPath } from './models.ts';
import { readGoogleErrorBody } from './read-google-error.ts';
import { toGoogleRequest } from './request/to-google-request.ts';
import { toNativeBody } from './request/to-native-body.ts';

/** Asks upstream for the number of tokens of a prompt; undefined when it names none. Throws as a call does. */
export async function countGoogleTokens(upstream: Upstream, call: ChatCall): Promise<number | undefined> {
  const { native, timeouts } = call;
  const body = native?.form === 'gemini' ? toNativeBody(call, native) : toGoogleRequest(call);
  const model = toModelPath(call.providerModel);
  const response = await upstream.transport.send({
    method: 'POST',
    url: `${upstream.baseUrl}/${model}:countTokens`,
    headers: { ...upstream.headers, 'content-type': 'application/json' },
    // The instruction and the tools count only within a whole request.
    body: JSON.stringify({ generateContentRequest: { model, ...body } }),
    signal: call.signal,
    headersTimeoutMs: timeouts.headersMs,
    idleTimeoutMs: timeouts.idleMs,
    totalTimeoutMs: timeouts.headersMs,
  });
  if (response.status !== 200) {
    throw toRefusalError(upstream, readGoogleErrorBody, response, await readErrorText(response.body));
  }
  const counted = parseReturned(await readText(response.body), upstream.name);
  return isRecord(counted) ? readCount(counted['totalTokens']) : undefined;
}
