import { createModelCall } from '../../calls/model-call.ts';
import { chatKind, mapChatTexts } from '../../chat/chat-kind.ts';
import { guardInput } from '../../guardrails/guard-call.ts';
import type { Policy } from '../../guardrails/policy.ts';
import type { Principal } from '../../http/request.ts';
import { planCall } from '../../routing/plan-call.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { GuardrailTestResult } from '../../wire/guardrail-trials.ts';
import type { Guardrail } from '../../wire/guardrails.ts';
import type { DryRunParts } from './guardrail-parts.ts';
import { type GenerationResult, judgeGeneration, toTextResult } from './judge-generation.ts';

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
export async function compileAlone(guardrail: Guardrail, { catalog }: Pick<DryRunParts, 'catalog'>): Promise<Policy> {
  const { compilePolicy } = await import('../../guardrails/policy.ts');
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
  const plan = planCall(call, { narrowings: policy.narrowings, random: () => 0 }, parts.routing);
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
