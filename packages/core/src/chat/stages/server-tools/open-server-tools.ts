import { toUsableEndpoints, type UsableParts } from '../../../dispatch/usable-endpoints.ts';
import type { Caller } from '../../../dispatch/find-caller.ts';
import type { Awaitable } from '../../../foundation/awaitable.ts';
import type { ModelCall } from '../../../calls/model-call.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import { hasPlugin } from '../../plugins.ts';
import type { ToolParts, ToolSet } from './tool-set.ts';

/**
 * Opens the server tools of a request: models receive them as functions, so that has to happen before endpoints are
 * chosen. Null for a request without any. Rejects with `invalid_request`.
 */
export function openServerTools(
  call: ModelCall<ChatCompletionRequest>,
  caller: Caller,
  parts: ToolParts & UsableParts,
): Awaitable<ToolSet | null> {
  return wantsServerTools(call.request) ? open(call, caller, parts) : null;
}

function wantsServerTools({ tools, plugins }: ChatCompletionRequest): boolean {
  return (tools?.some(({ type }) => type !== 'function') ?? false) || hasPlugin(plugins, 'web-fetch');
}

/** Loaded late, because most requests have no server tools. */
async function open(
  { request, region }: ModelCall<ChatCompletionRequest>,
  { policy }: Caller,
  parts: ToolParts & UsableParts,
): Promise<ToolSet> {
  const { createToolSet } = await import('./tool-set.ts');
  return createToolSet(request, toUsableEndpoints({ policy, region }, parts), parts);
}
