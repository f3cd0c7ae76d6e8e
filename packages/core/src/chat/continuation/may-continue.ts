import type { Endpoint } from '../../catalog/catalog.ts';
import { type GatewayError, isCallersMistake } from '../../foundation/errors.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { ChatRun } from '../chat-run.ts';

/** Whether the stream of a call goes on at another endpoint should it break off (docs/decisions/0039). */
export function continuesBroken({ call, plan, toolSet, parts }: ChatRun): boolean {
  const { request } = call;
  if (request.stream !== true || toolSet !== null || plan.endpoints.length < 2) return false;
  const wish = request.provider?.continue_broken_streams ?? parts.account.routing?.continueBrokenStreams;
  return wish === true && isPlainText(request);
}

/** Whether a request is for text in no form that a continuation could miss. */
function isPlainText({ response_format: format, modalities, tool_choice: choice }: ChatCompletionRequest): boolean {
  const hasForm = format != null && format.type !== 'text';
  const isForced = choice != null && choice !== 'none' && choice !== 'auto';
  return !hasForm && !isForced && modalities?.some((kind) => kind !== 'text') !== true;
}

/** Whether another endpoint may do better than the one that ended its completion with this error. */
export const isRemediable = ({ code }: GatewayError): boolean => !isCallersMistake(code) && code !== 'internal';

export interface Candidates {
  /** Those of the turn, in order. */
  readonly endpoints: readonly Endpoint[];
  readonly broken: Endpoint;
  readonly hasText: boolean;
  /** Those that have been asked in the call. */
  readonly asked: readonly Endpoint[];
}

/**
 * The endpoints that may continue a completion: of the same model, paid by the same party, so that the record has one
 * payer, and not asked yet. Where no text has come, there is nothing that they would have to continue.
 */
export function endpointsToContinue({ endpoints, broken, hasText, asked }: Candidates): readonly Endpoint[] {
  const isByok = (endpoint: Endpoint): boolean => endpoint.provider.byok === true;
  return endpoints.filter(
    (endpoint) =>
      endpoint.modelId === broken.modelId &&
      isByok(endpoint) === isByok(broken) &&
      (!hasText || endpoint.prefill !== null) &&
      !asked.includes(endpoint),
  );
}
