import type { Policy } from '../guardrails/policy.ts';
import type { Budget } from '../budgets/budget.ts';
import { boundCall } from '../budgets/bound-call.ts';
import { toCaller } from '../budgets/find-budgets.ts';
import { reserveCall } from '../budgets/reserve-call.ts';
import type { ChatContext } from './chat-context.ts';
import { findUsableEndpoints } from '../dispatch/usable-endpoints.ts';
import type { RoutePlan } from '../routing/plan-route.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { parseFiles, wantsParsing } from './stages/files/parse-files.ts';
import type { PipelineStage } from '../wire/chat/pipeline-stage.ts';
import { hasPlugin } from './plugins.ts';
import { type BeginAnswer, runAttempts } from '../dispatch/run-attempts.ts';
import { readSearchOptions, searchFirst } from './stages/web-search/search-first.ts';
import type { ToolSet } from './stages/server-tools/tool-set.ts';

/** Whether the gateway has tools of its own to run for a request. */
export function wantsServerTools({ tools, plugins }: ChatCompletionRequest): boolean {
  return (tools?.some(({ type }) => type !== 'function') ?? false) || hasPlugin(plugins, 'web-fetch');
}

/** Opens them. Loaded late, like what runs them, because most requests have none. Throws `invalid_request`. */
export async function openToolSet(request: ChatCompletionRequest, context: ChatContext): Promise<ToolSet> {
  const { createToolSet } = await import('./stages/server-tools/tool-set.ts');
  return createToolSet(request, context.parts, await findUsableEndpoints(context));
}

export interface AnswerPlan {
  /** Of the generation. */
  readonly id: string;
  readonly context: ChatContext;
  readonly request: ChatCompletionRequest;
  readonly route: RoutePlan;
  readonly policy: Policy | null;
  readonly pipeline: PipelineStage[];
  readonly budgets: readonly Budget[];
  readonly toolSet: ToolSet | null;
}

/** What has to be done around the endpoints for an answer; null when they answer by themselves. Throws `invalid_request`. */
export function prepareAnswer(plan: AnswerPlan): BeginAnswer | null {
  const { context, request, route, policy, pipeline, toolSet } = plan;
  const { parts: runtime } = context;
  const search = readSearchOptions(request);
  const isParsed = wantsParsing(request, route, runtime);
  if (toolSet === null && search === null && !isParsed) return null;
  let begin: BeginAnswer = toolSet === null ? runAttempts : runTools(plan, toolSet);
  const engine = runtime.web.searchEngine;
  if (search !== null && engine !== undefined) {
    begin = searchFirst(begin, { options: search, engine, policy, pipeline });
  }
  return isParsed ? parseFiles(begin, { policy, pipeline }) : begin;
}

function runTools({ id, context, policy, pipeline, budgets }: AnswerPlan, toolSet: ToolSet): BeginAnswer {
  const { parts: runtime, principal } = context;
  return async (attempts) => {
    const { answerWithTools } = await import('./stages/server-tools/run-tool-turns.ts');
    const begin = answerWithTools({
      toolSet,
      policy,
      pipeline,
      async reserveTurn(request, endpoints) {
        if (budgets.length === 0) return;
        // What the turns so far have cost is known now, and takes the place of what they might have.
        const spent = attempts.observer.spending()?.cost?.nanoUsd;
        if (spent !== undefined) {
          const isByok = attempts.observer.endpoint()?.provider.byok === true;
          runtime.ledger.keep(id, { creditsNanoUsd: isByok ? null : spent, anyNanoUsd: spent });
        }
        const bound = boundCall(request);
        await reserveCall({ id, caller: toCaller(principal), budgets, endpoints, bound }, runtime.ledger);
      },
    });
    return begin(attempts);
  };
}
