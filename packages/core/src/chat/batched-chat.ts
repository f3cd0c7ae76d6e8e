import { outcomeOf } from '../calls/attempt.ts';
import type { CatalogModel, Endpoint } from '../catalog/catalog.ts';
import type { Prices, UnitPrices } from '../catalog/prices.ts';
import { type Planned, prepareCall, reservePrepared } from '../dispatch/prepare-call.ts';
import { createLazyIterable, iterateOne } from '../foundation/awaitable.ts';
import { toGatewayError } from '../foundation/errors.ts';
import { observeCall } from '../generations/observer.ts';
import type { RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { WorstCase } from '../limits/ledger.ts';
import type { BatchRequest, BatchResponse } from '../providers/batch-contract.ts';
import type { BatchApi, ChatCall, WholeProvider } from '../providers/provider.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { toPlainCall } from './begin-completion.ts';
import type { ChatRun } from './chat-run.ts';
import { BATCHED_STEPS, type ChatParts, openChat, receiveChat } from './complete-chat.ts';
import type { CallFormat } from './format.ts';
import { relayWhole } from './relay-whole.ts';
import { composeStages } from './stages/compose-stages.ts';

type ChatContext = RequestContext<ChatParts>;

/** A chat as the batch API of a provider takes it. */
export interface BatchedChat {
  readonly endpoint: Endpoint;
  readonly request: BatchRequest;
  /** What budgets hold for it until its call is recorded, or the hold is released; null for nothing. */
  readonly hold: WorstCase | null;
}

/**
 * Prepares a chat for the batch API of the provider that would be asked first: guarded, planned, and paid for by the
 * budgets, but not sent. Resolves with null where it cannot go there, and the call has to be made. Throws what refuses it.
 */
export async function prepareBatchedChat(
  format: CallFormat,
  context: ChatContext,
  generationId: string,
): Promise<BatchedChat | null> {
  const { parts } = context;
  const run = await openChat(format, context, BATCHED_STEPS, { generationId, isRuled: true });
  const [endpoint] = run.plan.endpoints;
  const api = endpoint?.provider.batches;
  if (endpoint === undefined || api === undefined || mustNotBeStored(run, endpoint)) return null;
  const { isPlain } = await composeStages(parts.stages, run);
  if (!isPlain || run.onwardPlugins.length > 0) return null;
  const request = await api.toRequest(toPlainCall(endpoint, run, context.request.signal));
  return { endpoint, request, hold: await reservePrepared(run, parts.ledger) };
}

/**
 * A batch lies with the provider for a day or more, which the caller, the account or a guardrail may exclude by what they
 * demand for its data.
 */
function mustNotBeStored({ call, caller, parts: { account, catalog } }: ChatRun, endpoint: Endpoint): boolean {
  const { zdr, data_collection: collection } =
    toOnwardPreferences(endpoint, {
      asked: preferencesUpstream(call, account),
      account,
      constraints: caller.policy?.constraints ?? [],
      catalog,
    }) ?? {};
  return zdr === true || collection === 'deny';
}

/** A chat whose response has come from a batch. */
export interface RespondedChat {
  readonly generationId: string;
  /** Whose batch API it was; it may have left the plan since. */
  readonly endpoint: Endpoint;
  readonly response: NonNullable<BatchResponse['response']>;
  /** No other endpoint is asked, whatever the response is. */
  readonly isFinal: boolean;
}

/**
 * Makes the call of a chat whose response is there already: guarded, charged at the price of the batch API and recorded
 * as any other. Where the response is a failure that may pass, the next endpoints of the plan are asked, at their price.
 * What refuses the chat now comes too late for its cost, which is recorded all the same.
 */
export async function completeBatchedChat(
  format: CallFormat,
  context: ChatContext,
  responded: RespondedChat,
): Promise<GatewayResponse> {
  const { generationId, endpoint, response, isFinal } = responded;
  const { parts, responseHeaders } = context;
  const responding = toResponding(endpoint, response);
  let run: ChatRun;
  try {
    const prepared = await openChat(format, context, COMPLETING_STEPS, { generationId, isRuled: true });
    const endpoints = [responding, ...(isFinal ? [] : prepared.plan.endpoints)];
    run = { ...prepared, plan: { ...prepared.plan, endpoints }, endpoints };
  } catch (thrown) {
    if (!mayPass(thrown)) await chargeRefused(format, context, { ...responded, endpoint: responding }, thrown);
    throw thrown;
  }
  const { begin } = await composeStages(parts.stages, run);
  responseHeaders['x-generation-id'] = generationId;
  return relayWhole(run, begin);
}

/** Whether the same chat may be completed in a moment. */
function mayPass(thrown: unknown): boolean {
  const { code } = toGatewayError(thrown);
  return code === 'rate_limit_exceeded' || code === 'provider_overloaded';
}

/** A plan for a chat that has none any more, such as one whose model is gone. */
const planNothing = (requested: string): Planned => ({
  plan: {
    requested,
    strategy: 'direct',
    region: null,
    models: [],
    endpoints: [],
    orderedBy: null,
    excluded: [],
    unknownProviders: [],
  },
  endpoints: [],
  bound: null,
});

const COMPLETING_STEPS: typeof BATCHED_STEPS = {
  ...BATCHED_STEPS,
  isMade: true,
  async plan(guarded, caller, parts) {
    try {
      return await BATCHED_STEPS.plan(guarded, caller, parts);
    } catch {
      return planNothing(guarded.call.request.model ?? '');
    }
  },
};

/** Nothing of the chat is looked at any more. */
const CHARGING_STEPS: typeof BATCHED_STEPS = {
  ...COMPLETING_STEPS,
  isReported: false,
  guard: (call) => ({ call, refusal: null, toolSet: null, onwardPlugins: [] }),
  plan: ({ call }) => planNothing(call.request.model ?? ''),
};

/**
 * Records what a response has cost whose chat is refused, without anything that was said in it. A response that is an
 * error has cost nothing.
 */
async function chargeRefused(
  format: CallFormat,
  context: ChatContext,
  { generationId, endpoint, response }: RespondedChat,
  thrown: unknown,
): Promise<void> {
  const { parts, request: client, responseHeaders } = context;
  const request: ChatCompletionRequest = { model: endpoint.modelId, messages: [] };
  const { signal } = client;
  let chunk: ChatChunk;
  try {
    chunk = await (endpoint.provider.batches as BatchApi).readResponse(
      {
        generationId,
        request,
        providerModel: endpoint.providerModel,
        stream: false,
        supportedParameters: endpoint.supportedParameters,
        signal,
        timeouts: parts.timeouts,
      },
      response,
    );
  } catch {
    return;
  }
  const received = receiveChat(format, request, context, undefined, { generationId });
  const prepared = await prepareCall(received, CHARGING_STEPS, context);
  const conversation = { messages: [], isStreamed: false, router: null, bodyLength: 0 };
  const logging = { inputOutput: false, maxContentBytes: 0 };
  const observer = observeCall(prepared, conversation, { platform: parts.platform, logging });
  const startedAt = parts.platform.monotonicNow();
  observer.noteAttempt({ endpoint, startedAt, latencyMs: 0, error: null, key: endpoint.keyName });
  observer.observe([chunk]);
  const outcome = outcomeOf(toGatewayError(thrown));
  await parts.recorder.recordCall(observer.settle(outcome), outcome, client);
  responseHeaders['x-generation-id'] = generationId;
}

/** Finds the endpoint again by which lines were sent. */
export const findBatchedEndpoint = (model: CatalogModel | undefined, tag: string): Endpoint | undefined =>
  model?.endpoints.find((endpoint) => endpoint.tag === tag);

/** The endpoint with a provider that has this one response. Its health is its own: nobody was waited for. */
function toResponding(endpoint: Endpoint, response: RespondedChat['response']): Endpoint {
  const api = endpoint.provider.batches as BatchApi;
  const chatWhole = (call: ChatCall) => api.readResponse(call, response);
  const provider: WholeProvider = {
    ...endpoint.provider,
    // Nothing is sent any more, with none of them.
    keys: undefined,
    chatWhole,
    chat: (call) => createLazyIterable(async () => iterateOne([await chatWhole(call)])),
  };
  return { ...endpoint, provider, tag: `${endpoint.tag}/batch`, prices: atShare(endpoint.prices, api.priceShare) };
}

/** Units that cost what they cost, whether a call is made at once or within a day. */
const UNDISCOUNTED: ReadonlySet<string> = new Set(['web_search', 'search_unit']);
/** A share counts to a thousandth. */
const PARTS = 1000;

function atShare({ overrides, ...units }: Prices, share: number): Prices {
  const part = BigInt(Math.round(share * PARTS));
  const scale = (prices: UnitPrices): UnitPrices =>
    Object.fromEntries(
      Object.entries(prices).map(([unit, price]) => [
        unit,
        UNDISCOUNTED.has(unit) ? price : (price * part) / BigInt(PARTS),
      ]),
    );
  if (overrides === undefined) return scale(units);
  return { ...scale(units), overrides: overrides.map((one) => ({ ...one, prices: scale(one.prices) })) };
}
