import { nextTurn } from '../../foundation/queues.ts';
import type { Policy } from '../../guardrails/policy.ts';
import type { Finding } from '../../guardrails/verdict.ts';
import type { GenerationFilter, GenerationRecord } from '../../stores/store.ts';
import type { GuardrailDryRunLine } from '../../wire/guardrail-trials.ts';
import type { Guardrail } from '../../wire/guardrails.ts';
import { createBudgetTrial } from './budget-trial.ts';
import { createDryRunTally, type DryRunEffect, isRefusal } from './dry-run-tally.ts';
import type { DryRunParts } from './guardrail-parts.ts';
import { type JudgedGeneration, judgeGeneration } from './judge-generation.ts';

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
/** How long it may hold the event loop before others get their turn (docs/decisions/0029). */
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
