import type { CallRegion, EndpointConstraint } from '../calls/call-kind.ts';
import { createModelCall } from '../calls/model-call.ts';
import type { Catalog, CatalogModel, Endpoint } from '../catalog/catalog.ts';
import { chatKind, mapChatTexts } from '../chat/chat-kind.ts';
import type { Platform } from '../foundation/platform.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../foundation/queues.ts';
import { ACTIONS } from '../guardrails/effective-policy.ts';
import { guardInput } from '../guardrails/guard-call.ts';
import { compilePolicy, type Policy } from '../guardrails/policy.ts';
import { createTextGuard, guardInSteps } from '../guardrails/text-guard.ts';
import { actionOf, type Finding, toStages } from '../guardrails/verdict.ts';
import type { Principal } from '../http/request.ts';
import { planCall, type RoutingParts } from '../routing/plan-call.ts';
import type { Store } from '../stores/store.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';
import type { Generation, GenerationContent } from '../wire/generation.ts';
import type { GuardrailTestResult } from '../wire/guardrail-trials.ts';
import type { Guardrail } from '../wire/guardrails.ts';

/** The parts that a dry run uses: it plans which endpoints a call may use. */
export interface DryRunParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'generations'>;
  readonly catalog: Catalog;
  readonly routing: RoutingParts;
}

type RequestResult = NonNullable<GuardrailTestResult['request']>;
type GenerationsResult = NonNullable<GuardrailTestResult['generations']>;

/** Reports what a guardrail on its own would do, without any effect. Throws what its filters throw. */
export interface DryRun {
  /** Throws as `planCall` does. */
  testRequest(request: ChatCompletionRequest): Promise<RequestResult>;
  /** Tries the guardrail on the latest generations of all callers. */
  testGenerations(count: number): Promise<GenerationsResult>;
}

/** Prepares a dry run. Rejects with `permission_denied` when a filter cannot be compiled. */
export async function createDryRun(guardrail: Guardrail, parts: DryRunParts): Promise<DryRun> {
  const policy = await compileAlone(guardrail, parts);
  return {
    testRequest: (request) => testRequest(request, policy, parts),
    testGenerations: (count) => testGenerations(count, policy, parts),
  };
}

/** The policy of a guardrail on its own. Rejects with `permission_denied` when a filter cannot be compiled. */
export function compileAlone(guardrail: Guardrail, { catalog }: Pick<DryRunParts, 'catalog'>): Promise<Policy> {
  return compilePolicy([{ scope: 'api-key', guardrail }], catalog);
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
  const plan = planCall(call, { constraints: policy.constraints, random: () => 0 }, parts.routing);
  const result = toTextResult(verdict.findings);
  const isSent = result.action !== 'block' && plan.endpoints.length > 0;
  const isRedacted = verdict.request.messages !== request.messages;
  return {
    ...result,
    redacted_messages: isSent && isRedacted ? verdict.request.messages : null,
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
    const { result: tested } = await judgeGeneration(generation, { content, model }, policy, platform);
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

type TextResult = NonNullable<GenerationResult['input']>;
/** What a guardrail on its own would have done to one generation. */
type GenerationResult = NonNullable<GuardrailTestResult['generations']>['results'][number];

/** A generation with what is still known of it. */
interface KnownGeneration {
  readonly content: GenerationContent | undefined;
  readonly model: CatalogModel | undefined;
}

export interface JudgedGeneration {
  readonly result: GenerationResult;
  /** What filters found in the prompt and in the completion; empty where the content was not stored. */
  readonly input: readonly Finding[];
  readonly output: readonly Finding[];
  /** No endpoint of its model would have been left. */
  readonly isUnserved: boolean;
}

/** Throws what the filters of the policy throw. Long texts are read in slices. */
export async function judgeGeneration(
  generation: Generation,
  { content, model }: KnownGeneration,
  policy: Policy,
  platform: SlicingPlatform,
): Promise<JudgedGeneration> {
  const { constraints } = policy;
  const endpoint = model?.endpoints.find(({ provider }) => provider.name === generation.provider_name);
  const region = regionOf(generation);
  const excluded = endpoint === undefined ? null : findExclusion(endpoint, region, constraints);
  const input = content === undefined ? [] : await testInput(content, policy, platform);
  const output = content === undefined ? [] : await runInSlices(testOutput(content, policy), platform);
  const result = {
    id: generation.id,
    model: generation.model,
    created_at: generation.created_at,
    input: content === undefined ? null : toTextResult(input),
    output: content === undefined ? null : toTextResult(output),
    excluded,
  };
  return {
    result,
    input,
    output,
    isUnserved:
      excluded !== null &&
      model?.endpoints.every((other) => findExclusion(other, region, constraints) !== null) === true,
  };
}

function regionOf({ data_region: dataRegion, called_region: name }: Generation): CallRegion | null {
  return name === undefined ? null : { name, dataRegion };
}

function findExclusion(
  endpoint: Endpoint,
  region: CallRegion | null,
  constraints: readonly EndpointConstraint[],
): GenerationResult['excluded'] {
  const constraint = constraints.find(({ excludes }) => excludes(endpoint, region));
  return constraint === undefined ? null : { provider: endpoint.tag, model: endpoint.modelId, rule: constraint.rule };
}

async function testInput(
  { input }: GenerationContent,
  policy: Policy,
  platform: SlicingPlatform,
): Promise<readonly Finding[]> {
  if (policy.input === null) return [];
  // The stored messages come from a request that was checked.
  const messages =
    'prompt' in input ? [{ role: 'user' as const, content: input.prompt }] : (input.messages as ChatMessage[]);
  return (await guardInput({ messages }, policy.input, mapChatTexts, platform)).findings;
}

function* testOutput({ output }: GenerationContent, { output: filters }: Policy): Steps<readonly Finding[]> {
  if (filters === null) return [];
  const findings = new Map<Finding['compiled'], Finding>();
  const note = (finding: Finding): unknown => findings.set(finding.compiled, finding);
  const calls = (output.tool_calls ?? []).map((call) => ({ text: call.function.arguments, isJson: true }));
  const texts = [{ text: output.completion, isJson: false }, { text: output.reasoning, isJson: false }, ...calls];
  for (const { text, isJson } of texts) {
    const { blockedBy } = yield* guardInSteps(createTextGuard(filters, note, isJson), text ?? '');
    if (blockedBy !== null) note(blockedBy);
  }
  return [...findings.values()];
}

/** The strongest action, and what each filter found. */
function toTextResult(findings: readonly Finding[]): TextResult {
  const actions = findings.map(actionOf);
  return { action: ACTIONS.find((action) => actions.includes(action)) ?? 'allow', stages: toStages(findings) };
}
