import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { TokenBound } from '../calls/call-kind.ts';
import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import { feeOf, type OwnKey, withOwnKeys } from '../catalog/own-keys.ts';
import { costOf } from '../catalog/prices.ts';
import { chatKind } from '../chat/chat-kind.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toUsd } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { nextTurn } from '../foundation/queues.ts';
import { ownWorstCase, worstCaseNanoUsd } from '../limits/reserve-call.ts';
import type { RerunFigures } from '../stores/reruns.ts';
import type { JobOwner } from '../stores/store.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { PresetVersion } from '../wire/presets.ts';
import type { RerunEstimate, RerunTarget } from '../wire/reruns.ts';
import { checkPlan, type CreateParts, type Plan } from './check-plan.ts';
import { createRerunId } from './create-rerun.ts';
import { readTargetPreset, resolveTargets } from './preset-targets.ts';
import { type RerunRequest, toStoredRerunRequest, toTargetRequest } from './rerun-request.ts';
import { type PlannedItem, resolveSet } from './rerun-set.ts';

/** For the length of an id, which is counted with each request, as its session. */
const NO_RANDOM = { randomBytes: (length: number) => new Uint8Array(length) };

/** Reads a request in its format. Throws `invalid_request`. */
type ParseRequest = (request: RerunRequest) => ChatCompletionRequest;

/** How many requests are read before others get their turn. */
const READ_AT_ONCE = 20;

/**
 * What a rerun would cost, judges not counted: with the tokens of the originals, and at worst. As in what is spent, a
 * call with an own key costs the provider's bill and the fee.
 */
export async function estimateRerun(
  plan: Plan,
  { owner, parse }: { readonly owner: JobOwner; readonly parse: ParseRequest },
  parts: CreateParts,
): Promise<RerunEstimate> {
  const targets = await resolveTargets(plan.targets, owner, parts);
  await checkPlan({ ...plan, targets }, owner, parts);
  const items = await resolveSet(plan.set, parts);
  const { catalog, store, platform } = parts;
  const { id: keyHash, workspaceId = DEFAULT_WORKSPACE_ID, userId } = owner;
  const ownKeys = (await parts.callers.ownKeys.of({ workspaceId, keyHash, userId })) ?? [];
  const sums = await Promise.all(
    targets.map(async (target) => ({
      target,
      preset: await readTargetPreset(target, owner, parts),
      turns: turnsOf(target, ownKeys, catalog),
      typical: 0 as number | null,
      worst: 0 as number | null,
    })),
  );
  let withoutRequest = 0;
  for (const [index, item] of items.entries()) {
    if (index % READ_AT_ONCE === 0) await nextTurn(platform);
    const request = await readRequest(item, store);
    if (request === undefined) {
      withoutRequest += 1;
      continue;
    }
    for (const sum of sums) {
      const worst = worstOf(request, sum, parse);
      // A request that a target does not take costs nothing.
      if (worst === undefined) continue;
      sum.worst = addKnown(sum.worst, worst);
      sum.typical = addKnown(sum.typical, typicalOf(item.figures, sum.turns, platform));
    }
  }
  const usdOf = (nano: number | null): number | null => (nano === null ? null : toUsd(nano));
  return {
    items: items.length,
    without_request: withoutRequest,
    prompt_tokens: items.reduce((sum, { figures }) => sum + (figures?.promptTokens ?? 0), 0),
    completion_tokens: items.reduce((sum, { figures }) => sum + (figures?.completionTokens ?? 0), 0),
    targets: sums.map(({ target, typical, worst }) => ({
      model: target.model,
      provider: target.provider ?? null,
      preset: target.preset ?? null,
      typical_usd: usdOf(typical),
      worst_usd: usdOf(worst),
    })),
    typical_usd: usdOf(sums.reduce<number | null>((sum, { typical }) => addKnown(sum, typical), 0)),
    worst_usd: usdOf(sums.reduce<number | null>((sum, { worst }) => addKnown(sum, worst), 0)),
  };
}

const addKnown = (sum: number | null, more: number | null): number | null =>
  sum === null || more === null ? null : sum + more;

/** Endpoints of a target in the turns in which calls come to them: those with own keys, shared ones, and fallbacks. */
type Turns = readonly (readonly Endpoint[])[];

function turnsOf({ model, provider }: RerunTarget, ownKeys: readonly OwnKey[], catalog: Catalog): Turns {
  const all = catalog.find(model)?.endpoints ?? [];
  const ofTarget = provider === undefined ? all : all.filter((endpoint) => endpoint.provider.slug === provider);
  const isOfModel = (name: string, id: string): boolean => name === id || catalog.find(name)?.id === id;
  const { endpoints } = withOwnKeys(ofTarget, ownKeys, isOfModel);
  const fallbacks = new Set(ownKeys.flatMap(({ key }) => (key.is_fallback ? [key.id] : [])));
  const turnOf = ({ ownKeyId: id }: Endpoint): number => (id === undefined ? 1 : fallbacks.has(id) ? 2 : 0);
  return [0, 1, 2].map((turn) => endpoints.filter((endpoint) => turnOf(endpoint) === turn));
}

async function readRequest(
  { generationId, upload }: PlannedItem,
  { generations }: CreateParts['store'],
): Promise<RerunRequest | undefined> {
  if (upload !== null) return { ...upload.request, headers: {} };
  const content = await generations.getContent(generationId ?? '');
  return content && toStoredRerunRequest(content);
}

interface SummedTarget {
  readonly target: RerunTarget;
  readonly preset: PresetVersion | undefined;
  readonly turns: Turns;
}

/** Null without a bound; undefined where the target does not take the request. */
function worstOf(
  request: RerunRequest,
  { target, preset, turns }: SummedTarget,
  parse: ParseRequest,
): number | null | undefined {
  try {
    const sent = chatKind.withSession(parse(toTargetRequest(request, target, preset)), createRerunId(NO_RANDOM));
    const bound = chatKind.boundOf(sent) as TokenBound;
    const known = turns.flat().flatMap((endpoint) => {
      const worst = worstCaseNanoUsd(endpoint, bound);
      return worst === null ? [] : ownWorstCase(worst, endpoint).anyNanoUsd;
    });
    return known.length === 0 ? null : Math.max(...known);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** At the cheapest endpoint of the first turn in which prices are known. */
function typicalOf(figures: RerunFigures | null, turns: Turns, { now }: Pick<Platform, 'now'>): number | null {
  if (figures === null) return null;
  const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = figures;
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  for (const endpoints of turns) {
    const costs = endpoints.flatMap((endpoint) => {
      const cost = costOf(endpoint.prices, usage, { images: 0, at: now() });
      return cost === null ? [] : cost.nanoUsd + feeOf(cost.nanoUsd, endpoint);
    });
    if (costs.length > 0) return Math.min(...costs);
  }
  return null;
}
