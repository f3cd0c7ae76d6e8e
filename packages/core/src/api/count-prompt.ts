import type { CallBound } from '../calls/call-kind.ts';
import { estimatePrompt } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type ChatParts, COUNT_STEPS, receiveChat } from '../chat/complete-chat.ts';
import type { Format } from '../chat/format.ts';
import { findPreset, namesPreset } from '../chat/presets/use-preset.ts';
import { askWithSomeKey } from '../dispatch/ask-by-keys.ts';
import { prepareCall, type PreparedCall, reservePrepared } from '../dispatch/prepare-call.ts';
import type { RequestContext } from '../http/request.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { ChatCall } from '../providers/provider.ts';
import { keyStickinessOf } from '../routing/key-pools.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { nativeOf } from '../wire/native-request.ts';

const FREE: CallBound = { worstCaseNanoUsd: () => 0 };

/** The tokens of a prompt. */
export interface PromptCount {
  readonly tokens: number;
  /** Upstream was not asked, or did not count. */
  readonly isEstimated: boolean;
}

/**
 * Counts the tokens of a prompt by the counter of the upstream that would serve the call, else estimates them. Guardrails,
 * rate limits and used up budgets hold as for a call; nothing is charged or recorded. Throws `invalid_request`.
 */
export async function countPrompt(
  format: Format,
  body: unknown,
  context: RequestContext<ChatParts>,
): Promise<PromptCount> {
  const { request: client, parts } = context;
  const preset = namesPreset(format.name, body) ? await findPreset(format.name, body, context) : undefined;
  const { request } = format.parse(preset === undefined ? body : preset.join(preset.request), client.headers);
  const received = receiveChat(format, request, context);
  const prepared = await prepareCall(received, COUNT_STEPS, context);
  const { call, endpoints } = prepared;
  const [endpoint] = endpoints;
  await refuseWithoutBudget(prepared, parts.ledger);
  // A counter is a convenience: a client that gets none takes its guess for the truth.
  const counted = endpoint && (await countUpstream(call, endpoint, context).catch(() => undefined));
  return counted === undefined || counted < 1
    ? { tokens: estimatePrompt(call.request), isEstimated: true }
    : { tokens: counted, isEstimated: false };
}

async function countUpstream(
  call: PreparedCall<ChatCompletionRequest>['call'],
  endpoint: Endpoint,
  { request: { signal }, parts }: RequestContext<ChatParts>,
): Promise<number | undefined> {
  const { provider, providerModel, supportedParameters, maxCompletionTokens: maxOutputTokens } = endpoint;
  if (provider.countTokens === undefined) return undefined;
  const counted = {
    generationId: call.id,
    request: call.request,
    providerModel,
    stream: false,
    supportedParameters,
    maxOutputTokens,
    native: nativeOf(call.request),
    signal,
    timeouts: parts.timeouts,
  } satisfies ChatCall;
  const asked = { provider, stickyKey: keyStickinessOf(call, endpoint), signal };
  return askWithSomeKey(asked, parts.attempts.pools, async (keyed) => keyed.countTokens?.(counted));
}

/** Throws what refuses every call of a key whose budgets are used up, or zero. Holds nothing afterwards. */
async function refuseWithoutBudget(prepared: PreparedCall, ledger: Pick<Ledger, 'reserve' | 'release'>): Promise<void> {
  if (prepared.caller.budgets.length === 0) return;
  await reservePrepared({ ...prepared, bound: FREE }, ledger);
  ledger.release(prepared.call.id);
}
