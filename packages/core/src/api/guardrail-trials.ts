import { toGenerationFilter } from '../generations/list-generations.ts';
import { toNewGuardrail, withDraft } from '../guardrails/change-guardrail.ts';
import { findGuardrail } from '../guardrails/policy.ts';
import { operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import type { Store } from '../stores/store.ts';
import { dryRunOverGenerations } from '../trials/dry-run-over-generations.ts';
import { compileAlone, createDryRun, type DryRunParts } from '../trials/dry-run.ts';
import {
  guardrailDryRunLineSchema,
  guardrailDryRunRequestSchema,
  guardrailTestRequestSchema,
  guardrailTestResultSchema,
} from '../wire/guardrail-trials.ts';
import type { Guardrail } from '../wire/guardrails.ts';

/** The parts with which a guardrail is tried. */
export interface GuardrailTrialParts extends DryRunParts {
  readonly store: Pick<Store, 'generations' | 'guardrails'>;
  readonly providers: readonly Provider[];
}

/**
 * `POST /admin/v1/guardrails/{id}/test`: reports what the guardrail on its own would block, redact and exclude in a
 * given request and in the latest generations. No provider is called, and nothing is recorded.
 */
export const testGuardrail = operation<GuardrailTrialParts>()({
  params: ['id'],
  body: guardrailTestRequestSchema,
  response: guardrailTestResultSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body, found: guardrail }) {
    const dryRun = await createDryRun(await withDraft(guardrail, body.change, parts.catalog), parts);
    return {
      data: {
        request: body.request === undefined ? null : await dryRun.testRequest(body.request),
        generations: body.generations === undefined ? null : await dryRun.testGenerations(body.generations),
      },
    };
  },
});

/**
 * `POST /admin/v1/guardrails/dry-runs`: reports, as it goes, what a guardrail on its own would have done to the calls
 * that a filter chooses. It ends when its reader leaves. No provider is called, and nothing is recorded.
 */
export const dryRunGuardrail = operation<GuardrailTrialParts>()({
  body: guardrailDryRunRequestSchema,
  response: { mediaTypes: { 'application/x-ndjson': guardrailDryRunLineSchema } },
  responseHeaders: {
    'cache-control': '`no-store`',
    'x-accel-buffering': '`no`: proxies pass each line on as it comes',
  },
  errors: ['not_found'],
  async run({ request, parts, body: { guardrail_id: id, change, filter, examples } }) {
    const present = id === undefined ? toUnsaved() : await findGuardrail(id, parts);
    const guardrail = await withDraft(present, change, parts.catalog);
    const policy = await compileAlone(guardrail, parts);
    // What is recorded from now on is not looked at, so that the run has an end.
    const chosen = toGenerationFilter({ ...filter, to: filter.to ?? parts.platform.now() + 1 }, parts);
    const { signal } = request;
    return {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      body: dryRunOverGenerations({ guardrail, policy, filter: chosen, examples, signal }, parts),
    };
  },
});

const toUnsaved = (): Guardrail =>
  toNewGuardrail({ id: 'unsaved', name: 'Not saved', workspace_id: null, created_at: new Date(0).toISOString() });
