import { createModelCall } from '../../calls/model-call.ts';
import type { Narrowing } from '../../calls/narrowing.ts';
import type { CatalogModel, Endpoint } from '../../catalog/catalog.ts';
import { chatKind } from '../../chat/chat-kind.ts';
import { mapChatTexts } from '../../chat/map-texts.ts';
import { createTextGuard } from '../../guardrails/create-text-guard.ts';
import { ACTIONS } from '../../guardrails/effective-policy.ts';
import { guardInput } from '../../guardrails/guard-input.ts';
import type { Policy } from '../../guardrails/policy.ts';
import { type Finding, toStages } from '../../guardrails/verdict.ts';
import type { Principal } from '../../http/principal.ts';
import { planCall } from '../../routing/plan-call.ts';
import type { ChatCompletionRequest } from '../../wire/chat/chat-completion.ts';
import type { ChatMessage } from '../../wire/chat/chat-message.ts';
import type { Generation, GenerationContent } from '../../wire/generations/generation.ts';
import type { GuardrailTestResult } from '../../wire/management/guardrail-test.ts';
import type { Guardrail } from '../../wire/management/guardrail.ts';
import type { DryRunParts } from './guardrail-parts.ts';

type RequestResult = NonNullable<GuardrailTestResult['request']>;
type GenerationsResult = NonNullable<GuardrailTestResult['generations']>;
type GenerationResult = GenerationsResult['results'][number];
type TextResult = NonNullable<GenerationResult['input']>;

/** Reports what a guardrail on its own would do, without any effect. Throws what its filters throw. */
export interface DryRun {
  /** Throws as `planCall` does. */
  testRequest(request: ChatCompletionRequest): RequestResult;
  /** Tries the guardrail on the latest generations of all callers. */
  testGenerations(count: number): Promise<GenerationsResult>;
}

/** Prepares a dry run. Rejects with `permission_denied` when a filter cannot be compiled. */
export async function createDryRun(guardrail: Guardrail, parts: DryRunParts): Promise<DryRun> {
  const { compilePolicy } = await import('../../guardrails/compile-policy.ts');
  const policy = compilePolicy([{ scope: 'api-key', guardrail }], parts.catalog);
  return {
    testRequest: (request) => testRequest(request, policy, parts),
    testGenerations: (count) => testGenerations(count, policy, parts),
  };
}

const NO_PRINCIPAL: Principal = { kind: 'api', id: '', name: '' };

function testRequest(request: ChatCompletionRequest, policy: Policy, parts: DryRunParts): RequestResult {
  const verdict = policy.input === null ? { request, findings: [] } : guardInput(request, policy.input, mapChatTexts);
  const call = createModelCall({
    id: '',
    kind: chatKind,
    request: verdict.request,
    principal: NO_PRINCIPAL,
    region: null,
    headers: {},
  });
  const plan = planCall(call, { narrowings: policy.narrowings, random: () => 0 }, parts.routing);
  return {
    ...toTextResult(verdict.findings),
    redacted_messages: verdict.request.messages === request.messages ? null : verdict.request.messages,
    excluded: plan.excluded
      .filter(({ guardrailId }) => guardrailId !== undefined)
      .map(({ endpoint, rule }) => ({ provider: endpoint.tag, model: endpoint.modelId, rule })),
    endpoints_left: plan.endpoints.length,
  };
}

async function testGenerations(
  count: number,
  policy: Policy,
  { store, catalog }: DryRunParts,
): Promise<GenerationsResult> {
  const { records } = await store.generations.page({ limit: count });
  const result = { tested: records.length, without_content: 0, blocked: 0, redacted: 0, flagged: 0, excluded: 0 };
  const results: GenerationResult[] = [];
  for (const { generation } of records) {
    const content = await store.generations.getContent(generation.id);
    const tested = testGeneration(generation, content, policy, catalog.find(generation.model));
    const actions = [tested.input?.action, tested.output?.action];
    if (content === undefined) result.without_content += 1;
    if (actions.includes('block')) result.blocked += 1;
    else if (actions.includes('redact')) result.redacted += 1;
    else if (actions.includes('flag')) result.flagged += 1;
    if (tested.excluded !== null) result.excluded += 1;
    const isTouched = tested.excluded !== null || actions.some((action) => action !== undefined && action !== 'allow');
    if (isTouched) results.push(tested);
  }
  return { ...result, results };
}

function testGeneration(
  generation: Generation,
  content: GenerationContent | undefined,
  policy: Policy,
  model: CatalogModel | undefined,
): GenerationResult {
  const endpoint = model?.endpoints.find(({ provider }) => provider.name === generation.provider_name);
  return {
    id: generation.id,
    model: generation.model,
    created_at: generation.created_at,
    input: content === undefined ? null : testInput(content, policy),
    output: content === undefined ? null : testOutput(content, policy),
    excluded: endpoint === undefined ? null : findExclusion(endpoint, generation, policy.narrowings),
  };
}

function findExclusion(
  endpoint: Endpoint,
  { data_region: dataRegion, called_region: name }: Generation,
  narrowings: readonly Narrowing[],
): GenerationResult['excluded'] {
  const region = name === undefined ? null : { name, dataRegion };
  const narrowing = narrowings.find(({ excludes }) => excludes(endpoint, region));
  return narrowing === undefined ? null : { provider: endpoint.tag, model: endpoint.modelId, rule: narrowing.rule };
}

function testInput({ input }: GenerationContent, policy: Policy): TextResult {
  if (policy.input === null) return toTextResult([]);
  // The stored messages come from a request that was checked.
  const messages =
    'prompt' in input ? [{ role: 'user' as const, content: input.prompt }] : (input.messages as ChatMessage[]);
  return toTextResult(guardInput({ messages }, policy.input, mapChatTexts).findings);
}

function testOutput({ output }: GenerationContent, { output: filters }: Policy): TextResult {
  if (filters === null) return toTextResult([]);
  const findings = new Map<Finding['compiled'], Finding>();
  const note = (finding: Finding): unknown => findings.set(finding.compiled, finding);
  const test = (text: string | null, isJson: boolean): void => {
    const guard = createTextGuard(filters, note, isJson);
    const begun = guard.push(text ?? '');
    const { blockedBy } = begun.blockedBy === null ? guard.end() : begun;
    if (blockedBy !== null) note(blockedBy);
  };
  test(output.completion, false);
  test(output.reasoning, false);
  for (const call of output.tool_calls ?? []) test(call.function.arguments, true);
  return toTextResult([...findings.values()]);
}

function toTextResult(findings: readonly Finding[]): TextResult {
  const actions = findings.map(({ compiled }) => compiled.origin.action);
  return { action: ACTIONS.find((action) => actions.includes(action)) ?? 'allow', stages: toStages(findings) };
}
