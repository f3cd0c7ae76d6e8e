import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { kindOfRecord, type TokenBound } from '../calls/call-kind.ts';
import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import { feeOf, type OwnKey, withOwnKeys } from '../catalog/own-keys.ts';
import { costOf } from '../catalog/prices.ts';
import { chatKind, isOnline } from '../chat/chat-kind.ts';
import type { CallerParts } from '../dispatch/prepare-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { NANO_PER_USD, toNanoUsd } from '../foundation/money.ts';
import { parseWith } from '../foundation/parse.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { nextTurn } from '../foundation/queues.ts';
import { listGenerations, toGenerationFilter } from '../generations/list-generations.ts';
import type { GenerationLogging } from '../generations/observer.ts';
import { ownWorstCase, worstCaseNanoUsd } from '../limits/reserve-call.ts';
import type { Provider } from '../providers/provider.ts';
import { findNamedModel, isModelName } from '../routing/resolve-models.ts';
import {
  type RerunFigures,
  rerunItemId,
  rerunUploadId,
  type RerunPart,
  type StoredRerun,
  updateRerun,
} from '../stores/reruns.ts';
import type { GenerationRecord, JobOwner, Store } from '../stores/store.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { refuseField } from '../wire/fields.ts';
import type { PresetVersion } from '../wire/presets.ts';
import {
  type CreateRerunRequest,
  MAX_RERUN_CALLS,
  type RerunEstimate,
  type RerunJudgeSpec,
  type RerunSet,
  type RerunTarget,
  type UploadedItem,
  uploadedItemSchema,
} from '../wire/reruns.ts';
import { listOwnCases, type OwnCaseParts, toUploadedCases } from './fixture-cases.ts';
import { compilePattern, createSchemaCheck, type RerunJudge } from './judge-by-code.ts';
import { judgeTokensOf } from './judge-by-model.ts';
import { readTargetPreset, resolveTargets } from './preset-targets.ts';
import { findFixedParameter, type RerunRequest, toStoredRerunRequest, toTargetRequest } from './rerun-request.ts';
import { toRerunFigures } from './rerun-rows.ts';

export interface CreateParts extends OwnCaseParts {
  readonly store: Pick<Store, 'generations' | 'presets' | 'reruns' | 'workspaces'>;
  readonly logging: Pick<GenerationLogging, 'inputOutput'>;
  readonly platform: Platform;
  readonly catalog: Catalog;
  readonly providers: readonly Provider[];
  readonly rerunJudges: Readonly<Record<string, RerunJudge>>;
  readonly callers: Pick<CallerParts, 'ownKeys'>;
}

type Plan = Pick<CreateRerunRequest, 'set' | 'targets' | 'judges'>;
type CheckedPlan = Omit<Plan, 'targets'> & { readonly targets: readonly RerunTarget[] };

/** An item before it has targets. */
interface PlannedItem {
  readonly generationId: string | null;
  readonly figures: RerunFigures | null;
  readonly upload: UploadedItem | null;
}

/** Throws `invalid_request` that names the target, the judge or the setting with which nothing could be compared. */
async function checkPlan({ targets, judges }: CheckedPlan, owner: JobOwner, parts: CreateParts): Promise<void> {
  const { catalog, providers, rerunJudges } = parts;
  for (const [index, target] of targets.entries()) checkTarget(target, `targets.${index}`, { catalog, providers });
  for (const [index, judge] of judges.entries()) await checkJudge(judge, `judges.${index}`, { catalog, rerunJudges });
  await refuseUnstored(owner, parts);
}

/** Completions that are not stored cannot be compared, though they have been paid for. */
async function refuseUnstored(
  { workspaceId = DEFAULT_WORKSPACE_ID }: JobOwner,
  { store, logging }: Pick<CreateParts, 'store' | 'logging'>,
): Promise<void> {
  if (!logging.inputOutput) {
    throw new GatewayError(
      'invalid_request',
      'A rerun compares stored completions, and this gateway stores none: set logging.inputOutput to true',
    );
  }
  const { workspace } = (await store.workspaces.get(workspaceId)) ?? {};
  if (workspace === undefined) return;
  const { name, is_observability_io_logging_enabled: isEnabled, io_logging_sampling_rate: share } = workspace;
  if (isEnabled && share >= 1) return;
  const [what, remedy] = isEnabled
    ? [`stores only a share of ${share} of them`, 'set its io_logging_sampling_rate to 1']
    : ['stores none', 'set its is_observability_io_logging_enabled to true'];
  throw new GatewayError(
    'invalid_request',
    `A rerun compares stored completions, and the workspace "${name}", which pays, ${what}: ${remedy}, or name a key of ` +
      'another workspace as run_as_key',
  );
}

function checkTarget(
  target: RerunTarget,
  path: string,
  { catalog, providers }: Pick<CreateParts, 'catalog' | 'providers'>,
): void {
  const { model, provider } = target;
  if (!isModelName(model, catalog)) throw refuseField(`${path}.model`, `there is no model "${model}"`);
  refuseOnline(model, path);
  if (provider !== undefined && !providers.some(({ slug }) => slug === provider)) {
    throw refuseField(`${path}.provider`, `there is no provider "${provider}"`);
  }
  const fixed = findFixedParameter(target);
  if (fixed !== undefined) throw refuseField(`${path}.parameters.${fixed}`, 'cannot be set: the rerun sets it itself');
}

async function checkJudge(
  judge: RerunJudgeSpec,
  path: string,
  { catalog, rerunJudges }: Pick<CreateParts, 'catalog' | 'rerunJudges'>,
): Promise<void> {
  const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  switch (judge.type) {
    case 'model':
      if (!isModelName(judge.model, catalog)) throw refuseField(`${path}.model`, `there is no model "${judge.model}"`);
      refuseOnline(judge.model, path);
      if (!hasBound(judge.model, catalog)) {
        throw refuseField(`${path}.model`, `what "${judge.model}" costs has no bound: its endpoints need prices`);
      }
      return;
    case 'custom':
      if (Object.hasOwn(rerunJudges, judge.name)) return;
      throw refuseField(`${path}.name`, `this gateway has no judge "${judge.name}"`);
    case 'regex':
      await compilePattern(judge.pattern).catch((error: unknown) => {
        throw refuseField(`${path}.pattern`, `cannot be used: ${reasonOf(error)}`);
      });
      return;
    case 'schema_valid':
      if (judge.schema === undefined) return;
      await createSchemaCheck(judge.schema).catch((error: unknown) => {
        throw refuseField(`${path}.schema`, `cannot be checked: ${reasonOf(error)}`);
      });
      return;
    case 'json_equal':
    case 'same_tool_calls':
    case 'length':
  }
}

/** What a search of the web adds to a request comes after its worst case has been held, so the cap would not hold. */
function refuseOnline(model: string, path: string): void {
  if (!isOnline({ model, messages: [] })) return;
  throw refuseField(`${path}.model`, 'must not have the variant :online: a rerun does not search the web');
}

/** Whether the cost of a judge can be held under a cap, at one endpoint at least. That of a router is known call by call. */
function hasBound(model: string, catalog: Catalog): boolean {
  const { endpoints = [] } = findNamedModel(model, catalog) ?? {};
  const bound = chatKind.boundOf({
    messages: [{ role: 'user', content: '' }],
    max_tokens: judgeTokensOf(model, catalog),
  });
  return endpoints.length === 0 || endpoints.some((endpoint) => worstCaseNanoUsd(endpoint, bound) !== null);
}

/** The items of a set as it is now. Throws `invalid_request` for a set without any, and for unknown generations. */
async function resolveSet(set: RerunSet, parts: CreateParts): Promise<readonly PlannedItem[]> {
  const items = await readSet(set, parts);
  if (items.length === 0) throw refuseField('set', 'no call matches it');
  return items;
}

async function readSet(set: RerunSet, parts: CreateParts): Promise<readonly PlannedItem[]> {
  if ('ndjson' in set) return parseUpload(set.ndjson);
  if ('fixture_cases' in set) return toUploadedCases(set.fixture_cases).map(toUploadItem);
  if ('fixtures' in set) return toUploadedCases(await listOwnCases(set.fixtures, parts)).map(toUploadItem);
  const records = 'filter' in set ? await findRecords(set, parts) : await getRecords(set.generation_ids, parts);
  return records.map(toItem);
}

const toUploadItem = (upload: UploadedItem): PlannedItem => ({ generationId: null, figures: null, upload });

const toItem = (record: GenerationRecord): PlannedItem => ({
  generationId: record.generation.id,
  figures: toRerunFigures(record),
  upload: null,
});

function parseUpload(ndjson: string): PlannedItem[] {
  return ndjson.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw refuseField('set.ndjson', `line ${index + 1} is not JSON`, cause);
    }
    const upload = parseWith(uploadedItemSchema, value, { within: `set.ndjson.${index}` });
    return [toUploadItem(upload)];
  });
}

async function getRecords(ids: readonly string[], { store }: CreateParts): Promise<GenerationRecord[]> {
  const records: GenerationRecord[] = [];
  for (const id of new Set(ids)) {
    const record = await store.generations.get(id);
    if (record === undefined) throw refuseField('set.generation_ids', `there is no generation ${id.slice(0, 100)}`);
    if (!isChat(record)) throw refuseField('set.generation_ids', `generation ${id} is no chat`);
    records.push(record);
  }
  return records;
}

const isChat = ({ generation }: GenerationRecord): boolean => kindOfRecord(generation) === 'chat';

const PAGE_SIZE = 200;

async function findRecords(
  { filter: asked, limit }: Extract<RerunSet, { filter: unknown }>,
  parts: CreateParts,
): Promise<GenerationRecord[]> {
  const filter = toGenerationFilter(asked, parts);
  const records: GenerationRecord[] = [];
  let before: string | undefined;
  do {
    const page = await listGenerations({ filter, limit: PAGE_SIZE, before }, parts);
    records.push(...page.records.filter(isChat));
    before = page.next ?? undefined;
  } while (before !== undefined && records.length < limit);
  return records.slice(0, limit);
}

/** Stores a rerun with all its items. It is at `ready`, or at `running` where it is to start. */
export async function createRerun(
  body: CreateRerunRequest,
  by: { readonly owner: JobOwner; readonly createdBy: string },
  parts: CreateParts,
): Promise<StoredRerun> {
  const targets = await resolveTargets(body.targets, by.owner, parts);
  await checkPlan({ ...body, targets }, by.owner, parts);
  const planned = await resolveSet(body.set, parts);
  const { judges, concurrency } = body;
  const calls = planned.length * targets.length;
  if (calls > MAX_RERUN_CALLS) {
    throw refuseField(
      'set',
      `has ${planned.length} calls, which are ${calls} with all targets; at most ${MAX_RERUN_CALLS}`,
    );
  }
  const { platform, store } = parts;
  const id = createRerunId(platform);
  const rerun: StoredRerun = {
    id,
    kind: 'rerun',
    name: body.name ?? null,
    createdAt: new Date(platform.now()).toISOString(),
    ...by,
    targets,
    judges,
    concurrency,
    maxCostNanoUsd: toNanoUsd(body.max_cost_usd),
    items: planned.length,
    state: 'estimating',
    reason: null,
    counts: { total: calls, pending: calls, running: 0, done: 0, failed: 0 },
    spentNanoUsd: 0,
    judgeNanoUsd: 0,
    lostNanoUsd: 0,
  };
  await store.reruns.insert(rerun);
  const rows = planned.flatMap((item, index) => toRows(rerun, item, index));
  for (let at = 0; at < rows.length; at += PAGE_SIZE) {
    await Promise.all(rows.slice(at, at + PAGE_SIZE).map((row) => store.reruns.insert(row)));
  }
  const state = body.start ? 'running' : 'ready';
  // It may have been cancelled meanwhile.
  const begun = await updateRerun(id, store.reruns, (latest) =>
    latest.state === 'estimating' ? { ...latest, state } : latest,
  );
  if (begun === undefined) throw new GatewayError('conflict', 'The rerun was deleted while it was created');
  return begun;
}

const createRerunId = (platform: Pick<Platform, 'randomBytes'>): string =>
  `rerun-${createRandomId(platform).slice(0, 20)}`;
/** For the length of an id, which is counted with each request, as its session. */
const NO_RANDOM = { randomBytes: (length: number) => new Uint8Array(length) };

function toRows({ id: rerunId, targets }: StoredRerun, item: PlannedItem, index: number): RerunPart[] {
  const items = targets.map((_, target): RerunPart => ({
    id: rerunItemId(rerunId, index, target),
    kind: 'item',
    rerunId,
    index,
    target,
    generationId: item.generationId,
    original: item.figures,
    state: 'pending',
    reason: null,
    calls: [],
    figures: null,
    verdicts: [],
    person: null,
  }));
  if (item.upload === null) return items;
  const { request, completion = null } = item.upload;
  return [{ id: rerunUploadId(rerunId, index), kind: 'upload', rerunId, index, request, completion }, ...items];
}

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
  const toUsd = (nano: number | null): number | null => nano && nano / NANO_PER_USD;
  return {
    items: items.length,
    without_request: withoutRequest,
    prompt_tokens: items.reduce((sum, { figures }) => sum + (figures?.promptTokens ?? 0), 0),
    completion_tokens: items.reduce((sum, { figures }) => sum + (figures?.completionTokens ?? 0), 0),
    targets: sums.map(({ target, typical, worst }) => ({
      model: target.model,
      provider: target.provider ?? null,
      preset: target.preset ?? null,
      typical_usd: toUsd(typical),
      worst_usd: toUsd(worst),
    })),
    typical_usd: toUsd(sums.reduce<number | null>((sum, { typical }) => addKnown(sum, typical), 0)),
    worst_usd: toUsd(sums.reduce<number | null>((sum, { worst }) => addKnown(sum, worst), 0)),
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
