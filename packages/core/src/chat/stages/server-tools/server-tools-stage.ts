import { DEFAULT_WORKSPACE_ID } from '../../../auth/keys.ts';
import type { ModelCall } from '../../../calls/model-call.ts';
import type { Caller, CallerParts } from '../../../dispatch/prepare-call.ts';
import { toUsableEndpoints, type UsableParts } from '../../../dispatch/usable-endpoints.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import type { ChatRun } from '../../chat-run.ts';
import type { Begin, Stage } from '../stage.ts';
import type { ToolParts, ToolSet } from './tool-set.ts';

/**
 * Opens the server tools of a request that has some: models receive them as functions, so that has to happen before
 * endpoints are chosen. Rejects with `invalid_request`, and with `permission_denied` for a tool that the workspace of the
 * caller has disabled. The tools are loaded late, because most requests have none.
 */
export async function openServerTools(
  { request, region, principal }: ModelCall<ChatCompletionRequest>,
  { policy }: Caller,
  parts: ToolParts & UsableParts & { readonly callers: Pick<CallerParts, 'store'> },
): Promise<ToolSet> {
  const { createToolSet } = await import('./tool-set.ts');
  const record = await parts.callers.store.workspaces.get(principal.workspaceId ?? DEFAULT_WORKSPACE_ID);
  const disabled = record?.workspace.disabled_server_tools ?? [];
  return createToolSet(request, { usable: toUsableEndpoints({ policy, region }, parts), disabled }, parts);
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
