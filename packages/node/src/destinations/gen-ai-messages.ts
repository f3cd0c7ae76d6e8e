import type { BroadcastTrace } from '@model-gateway/core';

type Part =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: unknown; readonly name: unknown; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: unknown; readonly response: unknown }
  /** A part that is no text, reduced to its type. */
  | { readonly type: string };

interface Message {
  readonly role: unknown;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

type Content = NonNullable<BroadcastTrace['content']>;

/** Messages of the request in the form of OpenTelemetry's generative-AI conventions (`gen_ai.input.messages`, 1.45). */
export function toInputMessages({ input }: Content): readonly Message[] {
  if ('prompt' in input) return [{ role: 'user', parts: [{ type: 'text', content: input.prompt }] }];
  return input.messages.filter(isObject).map((message) => {
    const { role, content, tool_calls: calls, tool_call_id: callId } = message;
    if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id: callId, response: content }] };
    return { role, parts: [...toTextParts(content), ...toCallParts(calls)] };
  });
}

/** Messages of the completion in the same form (`gen_ai.output.messages`). */
export function toOutputMessages({ output }: Content, finishReason: string | null): readonly Message[] {
  const parts: Part[] = [];
  if (output.reasoning !== null) parts.push({ type: 'reasoning', content: output.reasoning });
  if (output.completion !== null) parts.push({ type: 'text', content: output.completion });
  parts.push(...toCallParts(output.tool_calls));
  return [{ role: 'assistant', parts, finish_reason: finishReason ?? 'unknown' }];
}

function toTextParts(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  if (!Array.isArray(content)) return [];
  return content
    .filter(isObject)
    .map((part) =>
      typeof part['text'] === 'string'
        ? { type: 'text' as const, content: part['text'] }
        : { type: String(part['type']) },
    );
}

function toCallParts(calls: unknown): readonly Part[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map(({ id, function: called }) => ({
    type: 'tool_call' as const,
    id,
    name: isObject(called) ? called['name'] : undefined,
    arguments: isObject(called) ? called['arguments'] : undefined,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
