import { createModelCall } from '../../calls/model-call.ts';
import type { Narrowing } from '../../calls/narrowing.ts';
import type { CatalogModel, Endpoint } from '../../catalog/catalog.ts';
import { chatKind } from '../../chat/chat-kind.ts';
import { mapChatTexts } from '../../chat/map-texts.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../../foundation/async/steps.ts';
import { createTextGuard, guardInSteps } from '../../guardrails/create-text-guard.ts';
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
  testRequest(request: ChatCompletionRequest): Promise<RequestResult>;
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

async function testRequest(request: ChatCompletionRequest, policy: Policy, parts: DryRunParts): Promise<RequestResult> {
  const { input } = policy;
  const verdict =
    input === null ? { request, findings: [] } : await guardInput(request, input, mapChatTexts, parts.platform);
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
  { store, catalog, platform }: DryRunParts,
): Promise<GenerationsResult> {
  const { records } = await store.generations.page({ limit: count });
  const result = { tested: records.length, without_content: 0, blocked: 0, redacted: 0, flagged: 0, excluded: 0 };
  const results: GenerationResult[] = [];
  for (const { generation } of records) {
    const content = await store.generations.getContent(generation.id);
    const model = catalog.find(generation.model);
    const tested = await testGeneration(generation, { content, model }, policy, platform);
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

interface TestedGeneration {
  readonly content: GenerationContent | undefined;
  readonly model: CatalogModel | undefined;
}

async function testGeneration(
  generation: Generation,
  { content, model }: TestedGeneration,
  policy: Policy,
  platform: SlicingPlatform,
): Promise<GenerationResult> {
  const endpoint = model?.endpoints.find(({ provider }) => provider.name === generation.provider_name);
  return {
    id: generation.id,
    model: generation.model,
    created_at: generation.created_at,
    input: content === undefined ? null : await testInput(content, policy, platform),
    output: content === undefined ? null : await runInSlices(testOutput(content, policy), platform),
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

async function testInput({ input }: GenerationContent, policy: Policy, platform: SlicingPlatform): Promise<TextResult> {
  if (policy.input === null) return toTextResult([]);
  // The stored messages come from a request that was checked.
  const messages =
    'prompt' in input ? [{ role: 'user' as const, content: input.prompt }] : (input.messages as ChatMessage[]);
  return toTextResult((await guardInput({ messages }, policy.input, mapChatTexts, platform)).findings);
}

function* testOutput({ output }: GenerationContent, { output: filters }: Policy): Steps<TextResult> {
  if (filters === null) return toTextResult([]);
  const findings = new Map<Finding['compiled'], Finding>();
  const note = (finding: Finding): unknown => findings.set(finding.compiled, finding);
  const calls = (output.tool_calls ?? []).map((call) => ({ text: call.function.arguments, isJson: true }));
  const texts = [{ text: output.completion, isJson: false }, { text: output.reasoning, isJson: false }, ...calls];
  for (const { text, isJson } of texts) {
    const { blockedBy } = yield* guardInSteps(createTextGuard(filters, note, isJson), text ?? '');
    if (blockedBy !== null) note(blockedBy);
  }
  return toTextResult([...findings.values()]);
}

function toTextResult(findings: readonly Finding[]): TextResult {
  const actions = findings.map(({ compiled }) => compiled.origin.action);
  return { action: ACTIONS.find((action) => actions.includes(action)) ?? 'allow', stages: toStages(findings) };
}
