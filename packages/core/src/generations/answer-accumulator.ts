import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from '../schemas/chat-chunk.ts';
import type { ToolCall } from '../schemas/chat-message.ts';
import { createPackedText, type PackedText } from './packed-text.ts';

/** What one answer has amounted to so far. */
export interface AnswerAccumulator {
  observe(chunks: readonly ChatChunk[]): void;
  /** Makes `text` and `reasoning` whole, of which only the end is there while they grow long. */
  unpack(): void;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** The last usage that upstream reported; some repeat or revise it. */
  readonly usage: Usage | undefined;
  readonly upstreamCostUsd: number | undefined;
  /** The first finish reason of the first choice; undefined until the answer is complete. */
  readonly finish: { readonly reason: FinishReason; readonly native: string | null } | undefined;
  readonly upstreamId: string | undefined;
  readonly systemFingerprint: string | undefined;
  readonly serviceTier: string | undefined;
}

/** Hardly any answer is longer; one whose reader has stopped reading leaves megabytes here. */
const PACK_ABOVE_CHARACTERS = 64 * 1024;

interface Accumulated {
  observe: AnswerAccumulator['observe'];
  unpack: AnswerAccumulator['unpack'];
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  usage: Usage | undefined;
  upstreamCostUsd: number | undefined;
  finish: AnswerAccumulator['finish'];
  upstreamId: string | undefined;
  systemFingerprint: string | undefined;
  serviceTier: string | undefined;
}

/** Creates an empty accumulator. It sees every chunk once and keeps no chunk. */
export function createAnswerAccumulator(): AnswerAccumulator {
  let packedText: PackedText | undefined;
  let packedReasoning: PackedText | undefined;
  const answer: Accumulated = {
    text: '',
    reasoning: '',
    toolCalls: [],
    usage: undefined,
    upstreamCostUsd: undefined,
    finish: undefined,
    upstreamId: undefined,
    systemFingerprint: undefined,
    serviceTier: undefined,
    observe(chunks) {
      for (const chunk of chunks) {
        answer.usage = chunk.usage ?? answer.usage;
        answer.upstreamCostUsd = chunk.upstreamCostUsd ?? answer.upstreamCostUsd;
        answer.upstreamId ??= chunk.upstreamId;
        answer.systemFingerprint ??= chunk.systemFingerprint;
        answer.serviceTier = chunk.serviceTier ?? answer.serviceTier;
        for (const choice of chunk.choices) {
          if (choice.index !== 0) continue;
          const { delta } = choice;
          if (delta.content) answer.text += delta.content;
          if (delta.reasoning) answer.reasoning += delta.reasoning;
          if (delta.refusal && !delta.content) answer.text += delta.refusal;
          for (const call of delta.tool_calls ?? []) addToolCall(answer.toolCalls, call);
          if (choice.finish_reason !== null) {
            answer.finish ??= { reason: choice.finish_reason, native: choice.native_finish_reason };
          }
        }
      }
      if (answer.text.length > PACK_ABOVE_CHARACTERS) {
        packedText ??= createPackedText();
        answer.text = packedText.append(answer.text);
      }
      if (answer.reasoning.length > PACK_ABOVE_CHARACTERS) {
        packedReasoning ??= createPackedText();
        answer.reasoning = packedReasoning.append(answer.reasoning);
      }
    },
    unpack() {
      if (packedText !== undefined) answer.text = packedText.unpack() + answer.text;
      if (packedReasoning !== undefined) answer.reasoning = packedReasoning.unpack() + answer.reasoning;
      packedText = undefined;
      packedReasoning = undefined;
    },
  };
  return answer;
}

function addToolCall(calls: ToolCall[], delta: ToolCallDelta): void {
  const known = calls[delta.index];
  if (known !== undefined) known.function.arguments += delta.function.arguments;
  else {
    calls[delta.index] = {
      id: delta.id ?? '',
      type: 'function',
      function: { name: delta.function.name ?? '', arguments: delta.function.arguments },
    };
  }
}
