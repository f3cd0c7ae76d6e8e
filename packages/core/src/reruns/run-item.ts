import { type CalledPreset, createGenerationId } from '../calls/model-call.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { InnerCall } from '../chat/complete-chat.ts';
import { GatewayError, messageOf, toGatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import { rerunUploadId, type RerunCall, type StoredRerun, type StoredRerunItem } from '../stores/reruns.ts';
import type { GenerationRecord, Store } from '../stores/store.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { RerunCompletion, RerunJudgement, RerunJudgeSpec } from '../wire/reruns.ts';
import { statusOfGeneration } from '../wire/statuses.ts';
import type { RerunCap } from './cap.ts';
import { joinDataPolicies } from './data-policy.ts';
import { judgeByCode, nameOfJudge, type ReadPair, type RerunJudge } from './judge-by-code.ts';
import { judgeByModel, judgeTokensOf, type JudgingOrder } from './judge-by-model.ts';
import { readTargetPreset } from './preset-targets.ts';
import { toRerunCompletion, type RerunRequest, toStoredRerunRequest, toTargetRequest } from './rerun-request.ts';
import { COMPLETION_PURPOSE, costOfRecord, findRecord, JUDGE_PURPOSE, toRerunFigures } from './rerun-rows.ts';

/** Makes a call on the gateway's own way of chats; resolves when it is recorded. Rejects with what has refused or ended it. */
export type MakeCall = (
  request: RerunRequest,
  principal: Principal,
  inner: InnerCall & { readonly session: string },
) => Promise<void>;

export interface ItemParts {
  readonly store: Pick<Store, 'generations' | 'presets' | 'reruns'>;
  readonly platform: Platform;
  readonly makeCall: MakeCall;
  readonly readCatalog: () => Catalog;
  /** Reads a request in its format. Rejects where that cannot be done. */
  readonly readRequest: (request: RerunRequest) => Promise<ChatCompletionRequest>;
  readonly judges: Readonly<Record<string, RerunJudge>>;
}

/** What the items of one run share. */
interface ItemRun {
  readonly rerun: StoredRerun;
  readonly principal: Principal;
  readonly cap: RerunCap;
  /** Whether no further call is to be begun, because the process ends. */
  readonly isStopped: () => boolean;
  /** Takes every change of an item, for the sums. */
  readonly onChange: (item: StoredRerunItem) => void;
}

/** Why an item waits. */
export interface Held {
  /**
   * `room`: its next call does not fit into what is left of the cap. `rate`: a rate limit does not admit it yet. `budget`: a
   * budget of the owner refuses it. `failure`: the gateway or its store has failed. `stopped`: the process ends.
   */
  readonly type: 'room' | 'rate' | 'budget' | 'failure' | 'stopped';
  readonly reason: string;
  /** Resolves when there may be more room; null where waiting does not help. */
  readonly untilRoom?: Promise<void> | null | undefined;
}

/**
 * Runs one item to its end: the call, then its judges. Goes on from where a process has died: what is recorded is not
 * called again. Resolves with why it waits, or with null once it has ended. Rejects only where the store fails.
 */
export async function runItem(item: StoredRerunItem, run: ItemRun, parts: ItemParts): Promise<Held | null> {
  const state: ItemState = { item, run, parts };
  try {
    const source = await readSource(item, parts);
    const target = run.rerun.targets[item.target];
    if (target === undefined) throw refusal('Its target is gone');
    const preset = await readTargetPreset(target, run.rerun.owner, parts);
    const request = toTargetRequest(source.request, target, preset);
    const called = preset && { id: preset.preset_id, slug: target.preset ?? '', version: preset.version };
    const record = await callOnce(COMPLETION_PURPOSE, request, state, called);
    const completion = await readCompletion(record, parts);
    await change(state, (latest) => ({ ...latest, figures: toRerunFigures(record) }));
    const dataPolicy = joinDataPolicies(request.body['provider']);
    const chat = run.rerun.judges.length === 0 ? undefined : await readChat(source.request, target.model, parts);
    const pair: ReadPair = { ...source, completion, chat, dataPolicy };
    const verdicts = await judgeAll(pair, state);
    await change(state, (latest) => ({ ...latest, state: 'done', reason: null, verdicts }));
    return null;
  } catch (thrown) {
    if (thrown instanceof HeldError) {
      await change(state, (latest) => ({ ...latest, state: latest.calls.length === 0 ? 'pending' : 'running' }));
      return thrown.held;
    }
    const error = toGatewayError(thrown);
    // Its cause is a failure of the store or of the gateway itself: the item is to be run again then.
    if (error.code === 'internal') throw thrown;
    await change(state, (latest) => ({ ...latest, state: 'failed', reason: error.message.slice(0, MAX_REASON) }));
    return null;
  }
}

const MAX_REASON = 500;

const refusal = (reason: string): GatewayError => new GatewayError('invalid_request', reason);

/** Ends the work on an item that is to be tried again. */
class HeldError extends Error {
  readonly held: Held;
  constructor(held: Held) {
    super(held.reason);
    this.held = held;
  }
}

interface ItemState {
  item: StoredRerunItem;
  readonly run: ItemRun;
  readonly parts: ItemParts;
}

async function change(state: ItemState, to: (latest: StoredRerunItem) => StoredRerunItem): Promise<void> {
  const { reruns } = state.parts.store;
  const row = await reruns.update(state.item.id, (latest) => (latest.kind === 'item' ? to(latest) : latest));
  // It was deleted with its rerun.
  if (row?.kind !== 'item') return;
  state.item = row;
  state.run.onChange(row);
}

interface Source {
  readonly request: RerunRequest;
  readonly original: RerunCompletion | null;
}

async function readSource({ rerunId, index, generationId }: StoredRerunItem, { store }: ItemParts): Promise<Source> {
  if (generationId === null) {
    const upload = await store.reruns.get(rerunUploadId(rerunId, index));
    if (upload?.kind !== 'upload') throw refusal('Its uploaded request is gone');
    return { request: { ...upload.request, headers: {} }, original: upload.completion };
  }
  const content = await store.generations.getContent(generationId);
  const request = content && toStoredRerunRequest(content);
  if (content === undefined || request === undefined) {
    throw refusal(`The request of generation ${generationId} is not stored, or not any more`);
  }
  return { request, original: toRerunCompletion(content) };
}

/**
 * What a recorded call has said. Throws what has ended it, in the words of its record: after a crash there is nothing else
 * to tell it by, and a rerun that goes on has to come to the same results.
 */
async function readCompletion(record: GenerationRecord, { store }: ItemParts): Promise<RerunCompletion> {
  const { id } = record.generation;
  const content = await store.generations.getContent(id);
  const status = statusOfGeneration(record.generation);
  if (status !== 'ok')
    throw new GatewayError('provider_unavailable', toFailure(status, content?.error?.message ?? null));
  if (content === undefined) {
    throw refusal(
      `The completion of generation ${id} was not stored, so it cannot be compared: contents must be stored`,
    );
  }
  return toRerunCompletion(content) ?? { text: null, tool_calls: [] };
}

const toFailure = (status: string, message: string | null): string =>
  status === 'interrupted'
    ? 'The process of the gateway stopped during the call'
    : (message ?? `The call has ${status}`);

/** The request of an original for its judges. A file or an older record need not have what a path says in its format. */
const readChat = (
  { body, ...request }: RerunRequest,
  model: string,
  { readRequest }: ItemParts,
): Promise<ChatCompletionRequest | undefined> =>
  readRequest({ ...request, body: { model, stream: false, ...body } }).catch(() => undefined);

async function judgeAll(pair: ReadPair, state: ItemState): Promise<RerunJudgement[]> {
  const { run, parts } = state;
  const verdicts: RerunJudgement[] = [];
  for (const [index, spec] of run.rerun.judges.entries()) {
    if (spec.type !== 'model') {
      verdicts.push(await judgeByCode(spec, pair, parts.judges));
      continue;
    }
    verdicts.push(await judgeOrTell(spec, index, pair, state));
  }
  return verdicts;
}

/**
 * Asks a model for its verdict. Where the judge fails, there is none, and the note says why: the completion has been paid
 * for, and the other judges have theirs. Throws only what lets the item be tried again.
 */
async function judgeOrTell(
  spec: Extract<RerunJudgeSpec, { readonly type: 'model' }>,
  index: number,
  pair: ReadPair,
  state: ItemState,
): Promise<RerunJudgement> {
  const ask = async (order: JudgingOrder, request: RerunRequest): Promise<string | null> => {
    const record = await callOnce(`${JUDGE_PURPOSE}${index} ${order}`, request, state);
    return (await readCompletion(record, state.parts)).text;
  };
  try {
    return await judgeByModel(spec, pair, { ask, maxTokens: judgeTokensOf(spec.model, state.parts.readCatalog()) });
  } catch (thrown) {
    if (thrown instanceof HeldError) throw thrown;
    const error = toGatewayError(thrown);
    if (error.code === 'internal') throw thrown;
    return { judge: nameOfJudge(spec), verdict: null, note: error.message.slice(0, MAX_REASON) };
  }
}

/**
 * The record of the item's call for this purpose: the one that there is, or that of a call made now. Its id and what is
 * reserved for it are stored before it is sent. Rejects where it was refused, so that there is no record.
 */
async function callOnce(
  purpose: string,
  request: RerunRequest,
  state: ItemState,
  preset?: CalledPreset,
): Promise<GenerationRecord> {
  const { run, parts } = state;
  const { generations } = parts.store;
  const made = state.item.calls.find((call) => call.purpose === purpose && call.isLost !== true);
  if (made !== undefined) {
    const record = await findRecord(made.generationId, generations);
    if (record !== undefined) return record;
    throw refusal(`The record of generation ${made.generationId} is gone`);
  }
  if (run.isStopped()) throw new HeldError(STOPPED);
  const generationId = createGenerationId(parts.platform);
  let reserved: number | null = null;
  const reserve: InnerCall['reserve'] = async ({ anyNanoUsd }) => {
    holdOrWait(run.cap, anyNanoUsd);
    reserved = anyNanoUsd;
    await note(state, { purpose, generationId, reservedNanoUsd: anyNanoUsd, costNanoUsd: null });
  };
  let failure: unknown;
  try {
    await parts.makeCall(request, run.principal, { generationId, reserve, preset, session: run.rerun.id });
  } catch (thrown) {
    failure = thrown;
  }
  if (reserved === null) {
    if (run.isStopped()) throw new HeldError(STOPPED);
    throw toRefusal(failure ?? new GatewayError('internal', 'A call was made without a reservation'), parts);
  }
  const record = await findRecord(generationId, generations).catch(() => undefined);
  // Without a record it is not known what it has cost.
  const cost = record === undefined ? reserved : costOfRecord(record, reserved);
  run.cap.settle(reserved, cost);
  const noted: RerunCall = { purpose, generationId, reservedNanoUsd: reserved, costNanoUsd: cost };
  if (run.isStopped() && (record === undefined || statusOfGeneration(record.generation) !== 'ok')) {
    // The end of the process has ended the call: it is made again after the next start.
    await note(state, { ...noted, isLost: true });
    throw new HeldError(STOPPED);
  }
  await note(state, noted);
  if (record === undefined) throw failure ?? new GatewayError('internal', 'A call was not recorded');
  // What has failed upstream is told by the record.
  const isTold = statusOfGeneration(record.generation) !== 'ok' && toGatewayError(failure).code !== 'internal';
  if (failure !== undefined && !isTold) throw failure;
  return record;
}

const STOPPED: Held = { type: 'stopped', reason: 'The gateway is shutting down' };

function holdOrWait(cap: RerunCap, worstNanoUsd: number): void {
  try {
    cap.hold(worstNanoUsd);
  } catch (error) {
    throw new HeldError({
      type: 'room',
      reason: messageOf(error),
      untilRoom: cap.nextSettled(),
    });
  }
}

/** A closing gateway waits for it. */
const MAX_RATE_WAIT_MS = 5000;

/**
 * Budgets of the owner that are used up refuse every further call too, so the rerun waits instead; so it does for a rate
 * limit, which admits the call in a while.
 */
function toRefusal(failure: unknown, { platform }: Pick<ItemParts, 'platform'>): unknown {
  if (failure instanceof HeldError) return failure;
  const error = toGatewayError(failure);
  if (error.code === 'rate_limit_exceeded') {
    const waitMs = Math.min((error.retryAfterSeconds ?? 1) * 1000, MAX_RATE_WAIT_MS);
    const untilRoom = new Promise<void>((resolve) => void platform.setTimer(resolve, waitMs));
    return new HeldError({ type: 'rate', reason: error.message, untilRoom });
  }
  // Those of workspaces and guardrails refuse by the code of what is forbidden, and say what they would have needed.
  const isBudget = error.code === 'payment_required' || error.metadata?.['required_usd'] !== undefined;
  return isBudget ? new HeldError({ type: 'budget', reason: error.message }) : failure;
}

/** Puts a call into the row of its item, in the place of what is noted of it. */
const note = (state: ItemState, call: RerunCall): Promise<void> =>
  change(state, (latest) => ({
    ...latest,
    state: 'running',
    calls: [...latest.calls.filter(({ generationId }) => generationId !== call.generationId), call],
  }));
