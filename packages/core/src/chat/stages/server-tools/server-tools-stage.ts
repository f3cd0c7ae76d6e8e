import type { ModelCall } from '../../../calls/model-call.ts';
import type { Caller } from '../../../dispatch/find-caller.ts';
import { toUsableEndpoints, type UsableParts } from '../../../dispatch/usable-endpoints.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import type { ChatRun } from '../../chat-run.ts';
import type { Begin, Stage } from '../stage.ts';
import type { ToolParts, ToolSet } from './tool-set.ts';

/**
 * Opens the server tools of a request that has some: models receive them as functions, so that has to happen before
 * endpoints are chosen. Rejects with `invalid_request`. The tools are loaded late, because most requests have none.
 */
export async function openServerTools(
  { request, region }: ModelCall<ChatCompletionRequest>,
  { policy }: Caller,
  parts: ToolParts & UsableParts,
): Promise<ToolSet> {
  const { createToolSet } = await import('./tool-set.ts');
  return createToolSet(request, toUsableEndpoints({ policy, region }, parts), parts);
}

/** Runs the tools of the gateway that a request has (wire.md 10). They have been opened before the call was planned. */
export const serverToolsStage: Stage = {
  plugins: ['web-fetch'],
  plan(run) {
    const { toolSet } = run;
    return toolSet === null ? null : { begin: (next) => runLate(next, run, toolSet) };
  },
};

/** Loaded late, because most requests have no server tools. */
function runLate(next: Begin, run: ChatRun, toolSet: ToolSet): Begin {
  return async (turn) => {
    const { runToolTurns } = await import('./run-tool-turns.ts');
    return runToolTurns(next, run, toolSet)(turn);
  };
}
