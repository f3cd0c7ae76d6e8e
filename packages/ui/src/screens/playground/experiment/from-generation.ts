import type { Generation, StoredRequestReport } from '@model-gateway/core/wire';

import { isObject } from '../../../api/is-object.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { toStatus } from '../../../features/generations/list/generation-status.tsx';
import { toFirstTokenMs } from '../../../features/generations/list/list-row.ts';
import { fromContentPart } from '../../../features/playground/attachments.ts';
import {
  type Column,
  type Experiment,
  MAX_COLUMNS,
  type NewId,
  newColumn,
  type Outcome,
  type ToolCall,
  type Turn,
} from '../../../features/playground/experiment.ts';
import { fromRequest } from '../../../features/playground/setup/from-request.ts';
import { playgroundMessages } from '../messages.tsx';

export interface Recorded {
  readonly generation: Generation;
  readonly content: Pick<GenerationContent, 'input' | 'output' | 'error'>;
  /** Null where only the prompt is stored. */
  readonly request: Pick<StoredRequestReport, 'format' | 'body' | 'expanded'> | null;
}

/** The recorded calls as they were, and beside them a column that asks the first of them again. */
export function fromGenerations(recorded: readonly Recorded[], newId: NewId): Experiment {
  const originals = recorded.slice(0, MAX_COLUMNS - 1).map((one) => toOriginal(one, newId));
  const [first] = recorded;
  const { system, turns } = readMessages(first === undefined ? [] : messagesOf(first.content), newId);
  const again = newColumn(first?.generation.model ?? '', newId, turns);
  return {
    id: newId(),
    name: '',
    // Other forms of a request have other names for what the form shows.
    setup: {
      ...fromRequest(first?.request?.format === 'chat' ? (first.request.expanded ?? first.request.body) : null),
      system,
    },
    columns: [...originals, again],
    text: '',
    attached: [],
  };
}

function toOriginal({ generation, content }: Recorded, newId: NewId): Column {
  const { turns } = readMessages(messagesOf(content), newId);
  const { completion, reasoning, tool_calls: calls = [] } = content.output;
  const completed: Turn = {
    type: 'assistant',
    id: newId(),
    text: completion ?? '',
    reasoning: reasoning ?? '',
    reasoningDetails: [],
    toolCalls: calls.map(({ id, function: { name, arguments: given } }) => ({ id, name, arguments: given })),
    images: [],
    audio: null,
    outcome: toOutcome(generation, content.error),
  };
  return { ...newColumn(generation.model, newId, [...turns, completed]), isOriginal: true };
}

/** What is said of a record that has no status of its own: its gateway or its provider failed. */
const UNKNOWN_STATUS = 502;

function toOutcome(generation: Generation, recorded: GenerationContent['error']): Outcome {
  const status = toStatus(generation);
  return {
    status: status === 'ok' ? 'done' : status === 'cancelled' ? 'stopped' : 'failed',
    model: generation.model,
    provider: generation.provider_name,
    generationId: generation.id,
    finishReason: generation.finish_reason,
    promptTokens: generation.tokens_prompt,
    completionTokens: generation.tokens_completion,
    costUsd: generation.cost_known ? generation.total_cost : null,
    firstTokenMs: toFirstTokenMs(generation),
    elapsedMs: generation.generation_time,
    endedAt: generation.created_at,
    error:
      status === 'ok' || status === 'cancelled'
        ? null
        : {
            message: recorded?.message ?? playgroundMessages().problems.failed,
            // Status 0 would mean that no gateway was reached now.
            status: recorded?.status ?? UNKNOWN_STATUS,
            errorType: 'recorded',
            issues: [],
          },
  };
}

/** Reads stored messages. They were written by another program: whatever they are, something comes out. */
export function readMessages(
  messages: readonly unknown[],
  newId: NewId,
): { readonly system: string; readonly turns: readonly Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  for (const message of messages.filter(isObject)) {
    const { role, content } = message;
    const text = toText(content);
    if (role === 'system' || role === 'developer') system.push(text);
    else if (role === 'assistant') {
      const toolCalls = toToolCalls(message['tool_calls']);
      for (const { id, name } of toolCalls) names.set(id, name);
      turns.push({ ...TYPED, id: newId(), text, toolCalls });
    } else if (role === 'tool') {
      const callId = asText(message['tool_call_id'], '');
      turns.push({ type: 'tool', id: newId(), callId, name: names.get(callId) ?? '', text });
    } else if (role === 'user') turns.push({ type: 'user', id: newId(), text, ...readParts(content) });
  }
  return { system: system.join('\n\n'), turns };
}

const TYPED = {
  type: 'assistant',
  reasoning: '',
  reasoningDetails: [],
  images: [],
  audio: null,
  outcome: null,
} as const;

function readParts(content: unknown) {
  const others = Array.isArray(content)
    ? content.filter((part) => isObject(part) && typeof part['text'] !== 'string')
    : [];
  return {
    attached: others.flatMap((part) => fromContentPart(part) ?? []),
    kept: others.filter((part) => fromContentPart(part) === undefined),
  };
}

function toToolCalls(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map(({ id, function: called }) => {
    const { name, arguments: given } = isObject(called) ? called : {};
    return {
      id: asText(id, ''),
      name: asText(name, 'unnamed'),
      arguments: asText(given, '{}'),
    };
  });
}

const asText = (value: unknown, absent: string): string => (typeof value === 'string' ? value : absent);

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}
