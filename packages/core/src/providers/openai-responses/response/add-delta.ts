import type { ChatDelta } from '../../../wire/chat-chunk.ts';

/** Adds one delta to another, so that pieces of one call become one. */
export function addDelta(sum: ChatDelta, delta: ChatDelta | undefined): void {
  if (delta === undefined) return;
  if (delta.content) sum.content = (sum.content ?? '') + delta.content;
  if (delta.refusal) sum.refusal = (sum.refusal ?? '') + delta.refusal;
  if (delta.reasoning) sum.reasoning = (sum.reasoning ?? '') + delta.reasoning;
  if (delta.reasoning_details) (sum.reasoning_details ??= []).push(...delta.reasoning_details);
  for (const call of delta.tool_calls ?? []) {
    const known = sum.tool_calls?.find(({ index }) => index === call.index);
    if (known === undefined) (sum.tool_calls ??= []).push(call);
    else known.function.arguments += call.function.arguments;
  }
  if (delta.annotations) (sum.annotations ??= []).push(...delta.annotations);
  if (delta.images) (sum.images ??= []).push(...delta.images);
}
