import { workspaceIdOfDefault } from '../account/account.ts';
import { NANO_PER_USD, toNanoUsd } from '../foundation/money.ts';
import { nextTurn } from '../foundation/queues.ts';
import type { Policy } from '../guardrails/policy.ts';
import type { Finding } from '../guardrails/verdict.ts';
import { periodStart } from '../limits/budgets.ts';
import { toSpent } from '../stores/kit/spending.ts';
import type { GenerationFilter, GenerationRecord } from '../stores/store.ts';
import type { GuardrailDryRunLine } from '../wire/guardrail-trials.ts';
import type { Guardrail } from '../wire/guardrails.ts';
import { type DryRunParts, type JudgedGeneration, judgeGeneration } from './dry-run.ts';

export interface DryRunOver {
  readonly guardrail: Guardrail;
  /** The guardrail's own. */
  readonly policy: Policy;
  readonly filter: GenerationFilter;
  /** How many touched calls are listed. */
  readonly examples: number;
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 100;
const LINE_EVERY_MS = 200;
/** How long it may hold the event loop before others get their turn (docs/decisions/0055). */
const SLICE_MS = 8;

const encoder = new TextEncoder();
const toLine = (line: GuardrailDryRunLine): Uint8Array => encoder.encode(`${JSON.stringify(line)}\n`);

/**
 * Tries a guardrail on one generation after the other, newest first, and only as fast as the lines are read. What it
 * keeps does not grow with the texts: counts, some examples, and of guardrails with a budget the cost of each call.
 */
export async function* dryRunOverGenerations(run: DryRunOver, parts: DryRunParts): AsyncGenerator<Uint8Array> {
  const { filter, signal, guardrail } = run;
  const { store, platform } = parts;
  const { total } = await store.generations.facets(filter);
  const tally = createDryRunTally(total, run.examples);
  const budget = createBudgetTrial(guardrail);
  let before: string | undefined;
  let writtenAt = platform.monotonicNow();
  let sliceAt = writtenAt;
  yield toLine(tally.read(false));
  do {
    const { records, next } = await store.generations.page({ limit: PAGE_SIZE, before, filter });
    for (const record of records) {
      const effects = await judge(record, run, parts, tally.noteWithoutContent);
      tally.add(record, effects);
      if (!effects.some(isRefusal)) budget?.add(record, effects.length > 0);
      if (platform.monotonicNow() - sliceAt >= SLICE_MS) {
        await nextTurn(platform);
        if (signal.aborted) return;
        sliceAt = platform.monotonicNow();
      }
      if (platform.monotonicNow() - writtenAt >= LINE_EVERY_MS) {
        yield toLine(tally.read(false));
        writtenAt = platform.monotonicNow();
      }
    }
    before = next ?? undefined;
  } while (before !== undefined && !signal.aborted);
  if (signal.aborted) return;
  for (const refused of budget?.refused() ?? []) tally.addOverBudget(refused);
  yield toLine(tally.read(true));
}

async function judge(
  { generation }: GenerationRecord,
  { policy }: DryRunOver,
  { store, catalog, platform }: DryRunParts,
  noteWithoutContent: () => void,
): Promise<readonly DryRunEffect[]> {
  const readsTexts = policy.input !== null || policy.output !== null;
  const content = readsTexts ? await store.generations.getContent(generation.id) : undefined;
  if (readsTexts && content === undefined) noteWithoutContent();
  const judged = await judgeGeneration(
    generation,
    { content, model: catalog.find(generation.model) },
    policy,
    platform,
  );
  return toEffects(judged);
}

/** A call that would have been refused would have had no other effect. */
function toEffects({ input, output, result: { excluded }, isUnserved }: JudgedGeneration): readonly DryRunEffect[] {
  const ofInput = input.map(toEffect);
  const refusals = ofInput.filter(({ effect }) => effect === 'blocked');
  if (refusals.length > 0) return refusals;
  if (excluded !== null && isUnserved) return [{ effect: 'unserved', rule: excluded.rule }];
  const rerouted: DryRunEffect[] = excluded === null ? [] : [{ effect: 'rerouted', rule: excluded.rule }];
  return [...ofInput, ...output.map((found) => ({ ...toEffect(found), isOfCompletion: true })), ...rerouted];
}

const FILTER_EFFECTS = { block: 'blocked', redact: 'redacted', flag: 'flagged' } as const;
const MAX_PATTERN = 100;

/** A pattern without a label is named by itself. */
function toEffect({ compiled: { filter, origin } }: Finding): DryRunEffect {
  const { action, check } = origin;
  const isNamed = check.type === 'built-in' || check.label !== null;
  return { effect: FILTER_EFFECTS[action], rule: isNamed ? filter.label : check.pattern.slice(0, MAX_PATTERN) };
}

type Example = GuardrailDryRunLine['examples'][number];
type Effect = Example['effects'][number]['effect'];

/** One effect that a guardrail would have had on a call. */
interface DryRunEffect {
  readonly effect: Effect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
  /** It was found in the completion, so the call had been made. */
  readonly isOfCompletion?: boolean;
}

/** A call as far as lists of examples show it. */
export type TalliedCall = Pick<GenerationRecord, 'costNanoUsd'> & {
  readonly generation: Pick<GenerationRecord['generation'], 'id' | 'model' | 'created_at' | 'cost_known'>;
};

/** Adds up a dry run. */
export interface DryRunTally {
  add(call: TalliedCall, effects: readonly DryRunEffect[]): void;
  /** A call that was added before, and that a budget would have refused. */
  addOverBudget(refused: OverBudget): void;
  noteWithoutContent(): void;
  /** The state now; its examples are those since it was read before. */
  read(isDone: boolean): GuardrailDryRunLine;
}

interface OverBudget {
  readonly call: TalliedCall;
  /** Whether it had another effect, too. */
  readonly isTouched: boolean;
}

function createDryRunTally(total: number, maxExamples: number): DryRunTally {
  const counts = { blocked: 0, redacted: 0, flagged: 0, rerouted: 0, unserved: 0, over_budget: 0 };
  const rules = new Map<string, { rule: string; effect: Effect; calls: number }>();
  let examples: Example[] = [];
  let listed = 0;
  let lookedAt = 0;
  let touched = 0;
  let withoutContent = 0;
  let backTo: string | null = null;
  let savedNanoUsd = 0;
  let savedUnknown = 0;

  const addRule = (effect: Effect, rule: string): void => {
    const key = `${effect} ${rule}`;
    const known = rules.get(key);
    if (known === undefined) rules.set(key, { rule, effect, calls: 1 });
    else known.calls += 1;
  };
  const addSaved = ({ generation, costNanoUsd }: TalliedCall): void => {
    if (generation.cost_known) savedNanoUsd += costNanoUsd;
    else savedUnknown += 1;
  };
  const addExample = ({ generation, costNanoUsd }: TalliedCall, effects: Example['effects']): void => {
    if (listed >= maxExamples) return;
    listed += 1;
    const { id, model, created_at } = generation;
    examples.push({ id, model, created_at, cost: generation.cost_known ? costNanoUsd / NANO_PER_USD : null, effects });
  };

  return {
    noteWithoutContent: () => void (withoutContent += 1),
    add(call, effects) {
      lookedAt += 1;
      backTo = call.generation.created_at;
      if (effects.length === 0) return;
      touched += 1;
      const distinct = [
        ...new Map(effects.map(({ effect, rule }) => [`${effect} ${rule}`, { effect, rule }])).values(),
      ];
      for (const effect of new Set(distinct.map((found) => found.effect))) counts[effect] += 1;
      for (const { effect, rule } of distinct) addRule(effect, rule);
      if (effects.some(isRefusal)) addSaved(call);
      addExample(call, distinct);
    },
    addOverBudget({ call, isTouched }) {
      if (!isTouched) touched += 1;
      counts.over_budget += 1;
      addRule('over_budget', 'limit_usd');
      addSaved(call);
      addExample(call, [{ effect: 'over_budget', rule: 'limit_usd' }]);
    },
    read(isDone) {
      const line: GuardrailDryRunLine = {
        done: isDone,
        looked_at: lookedAt,
        total: Math.max(total, lookedAt),
        back_to: backTo,
        touched,
        ...counts,
        without_content: withoutContent,
        saved_usd: savedNanoUsd / NANO_PER_USD,
        saved_unknown: savedUnknown,
        rules: [...rules.values()].toSorted((a, b) => b.calls - a.calls),
        examples,
      };
      examples = [];
      return line;
    },
  };
}

/** Whether the call would have ended before any endpoint was asked; a completion that is blocked has been paid for. */
const isRefusal = ({ effect, isOfCompletion }: DryRunEffect): boolean =>
  effect === 'unserved' || (effect === 'blocked' && isOfCompletion !== true);

/** Tries the budget of a guardrail on calls that come newest first, although it counts from the oldest on. */
export interface BudgetTrial {
  add(record: GenerationRecord, isTouched: boolean): void;
  /** The calls that would not have fitted, as far as their costs tell: a real call has to fit in at its worst case. */
  refused(): Iterable<OverBudget>;
}

/** Null for a guardrail without a budget. That of a workspace counts all its calls together, others each key's. */
function createBudgetTrial(guardrail: Guardrail): BudgetTrial | null {
  const { id, limit_usd: limitUsd, reset_interval: interval, include_byok_in_budgets: includesByok } = guardrail;
  if (limitUsd === null) return null;
  const limitNanoUsd = toNanoUsd(limitUsd);
  const isOfWorkspace = workspaceIdOfDefault(id) !== undefined;
  const periods = new Map<string, OverBudget[]>();
  return {
    add({ generation, principalId, costNanoUsd: anyNanoUsd }, isTouched) {
      const costNanoUsd = includesByok ? anyNanoUsd : toSpent(generation, anyNanoUsd).creditsNanoUsd;
      if (generation.is_byok && costNanoUsd === 0) return;
      const since = periodStart(interval, Date.parse(generation.created_at)) ?? '';
      const key = `${since} ${isOfWorkspace ? (generation.workspace_id ?? '') : principalId}`;
      const { id: generationId, model, created_at, cost_known } = generation;
      const call = { generation: { id: generationId, model, created_at, cost_known }, costNanoUsd };
      const calls = periods.get(key);
      if (calls === undefined) periods.set(key, [{ call, isTouched }]);
      else calls.push({ call, isTouched });
    },
    *refused() {
      for (const calls of periods.values()) {
        let spent = 0;
        for (let at = calls.length - 1; at >= 0; at -= 1) {
          const refused = calls[at] as OverBudget;
          if (spent >= limitNanoUsd) yield refused;
          else spent += refused.call.costNanoUsd;
        }
      }
    },
  };
}
