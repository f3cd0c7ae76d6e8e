import type { CallRegion, Narrowing } from '../../calls/call-kind.ts';
import type { CatalogModel, Endpoint } from '../../catalog/catalog.ts';
import { mapChatTexts } from '../../chat/chat-kind.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../../foundation/queues.ts';
import { ACTIONS } from '../../guardrails/effective-policy.ts';
import { guardInput } from '../../guardrails/guard-call.ts';
import type { Policy } from '../../guardrails/policy.ts';
import { createTextGuard, guardInSteps } from '../../guardrails/text-guard.ts';
import { actionOf, type Finding, toStages } from '../../guardrails/verdict.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import type { Generation, GenerationContent } from '../../wire/generation.ts';
import type { GuardrailTestResult } from '../../wire/guardrail-trials.ts';

type TextResult = NonNullable<GenerationResult['input']>;
/** What a guardrail on its own would have done to one generation. */
export type GenerationResult = NonNullable<GuardrailTestResult['generations']>['results'][number];

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
  const { narrowings } = policy;
  const endpoint = model?.endpoints.find(({ provider }) => provider.name === generation.provider_name);
  const region = regionOf(generation);
  const excluded = endpoint === undefined ? null : findExclusion(endpoint, region, narrowings);
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
      model?.endpoints.every((other) => findExclusion(other, region, narrowings) !== null) === true,
  };
}

function regionOf({ data_region: dataRegion, called_region: name }: Generation): CallRegion | null {
  return name === undefined ? null : { name, dataRegion };
}

function findExclusion(
  endpoint: Endpoint,
  region: CallRegion | null,
  narrowings: readonly Narrowing[],
): GenerationResult['excluded'] {
  const narrowing = narrowings.find(({ excludes }) => excludes(endpoint, region));
  return narrowing === undefined ? null : { provider: endpoint.tag, model: endpoint.modelId, rule: narrowing.rule };
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
export function toTextResult(findings: readonly Finding[]): TextResult {
  const actions = findings.map(actionOf);
  return { action: ACTIONS.find((action) => actions.includes(action)) ?? 'allow', stages: toStages(findings) };
}
