import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from '../schemas/chat-chunk.ts';
import type { ToolCall } from '../schemas/chat-message.ts';
import { createPackedText, type PackedText, type TextKeeping } from './packed-text.ts';

/** What one answer has amounted to so far. */
export interface AnswerAccumulator {
  observe(chunks: readonly ChatChunk[]): void;
  /** Makes `text` and `reasoning` whole, of which only the end is there while they grow long. */
  unpack(): void;
  readonly text: string;
  readonly reasoning: string;
  /**
   * How much of the text is packed away, in UTF-16 code units: what is missing in front of `text`. Above 0 after
   * `unpack`, the text is not there any more, because it was too long or could not be read again.
   */
  readonly packedTextLength: number;
  readonly packedReasoningLength: number;
  /** Of both, as `weighText` says. */
  readonly packedWeight: number;
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
  packedTextLength: number;
  packedReasoningLength: number;
  packedWeight: number;
  toolCalls: ToolCall[];
  usage: Usage | undefined;
  upstreamCostUsd: number | undefined;
  finish: AnswerAccumulator['finish'];
  upstreamId: string | undefined;
  systemFingerprint: string | undefined;
  serviceTier: string | undefined;
}

const IN_MEMORY: TextKeeping = { maxLength: Infinity };

/** Creates an empty accumulator. It sees every chunk once and keeps no chunk. By default texts are kept in memory. */
export function createAnswerAccumulator(keeping: TextKeeping = IN_MEMORY): AnswerAccumulator {
  let packedText: PackedText | undefined;
  let packedReasoning: PackedText | undefined;
  const answer: Accumulated = {
    text: '',
    reasoning: '',
    packedTextLength: 0,
    packedReasoningLength: 0,
    packedWeight: 0,
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
        packedText ??= createPackedText(keeping);
        answer.text = packedText.append(answer.text);
        notePacked();
      }
      if (answer.reasoning.length > PACK_ABOVE_CHARACTERS) {
        packedReasoning ??= createPackedText(keeping);
        answer.reasoning = packedReasoning.append(answer.reasoning);
        notePacked();
      }
    },
    unpack() {
      const text = packedText?.unpack() ?? null;
      const reasoning = packedReasoning?.unpack() ?? null;
      if (text !== null) {
        answer.text = text + answer.text;
        packedText = undefined;
      }
      if (reasoning !== null) {
        answer.reasoning = reasoning + answer.reasoning;
        packedReasoning = undefined;
      }
      notePacked();
    },
  };
  const notePacked = (): void => {
    answer.packedTextLength = packedText?.length ?? 0;
    answer.packedReasoningLength = packedReasoning?.length ?? 0;
    answer.packedWeight = (packedText?.weight ?? 0) + (packedReasoning?.weight ?? 0);
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
