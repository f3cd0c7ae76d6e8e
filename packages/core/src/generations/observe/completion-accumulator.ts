import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from '../../wire/chat/chat-chunk.ts';
import type { ToolCall } from '../../wire/chat/chat-message.ts';
import { createPackedText, type PackedText, type TextKeeping } from './spilled-text.ts';

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

const IN_MEMORY: TextKeeping = { maxLength: Infinity };

/** Creates an empty accumulator. It sees every chunk once and keeps no chunk. By default texts are kept in memory. */
export function createAnswerAccumulator(keeping: TextKeeping = IN_MEMORY): AnswerAccumulator {
  return new Accumulator(keeping);
}

/** A class, because there is one for every call: closures would take more memory than all they know. */
class Accumulator implements AnswerAccumulator {
  text = '';
  reasoning = '';
  packedTextLength = 0;
  packedReasoningLength = 0;
  packedWeight = 0;
  readonly toolCalls: ToolCall[] = [];
  usage: Usage | undefined = undefined;
  upstreamCostUsd: number | undefined = undefined;
  finish: AnswerAccumulator['finish'] = undefined;
  upstreamId: string | undefined = undefined;
  systemFingerprint: string | undefined = undefined;
  serviceTier: string | undefined = undefined;
  private readonly keeping: TextKeeping;
  private packedText: PackedText | undefined = undefined;
  private packedReasoning: PackedText | undefined = undefined;

  constructor(keeping: TextKeeping) {
    this.keeping = keeping;
  }

  observe(chunks: readonly ChatChunk[]): void {
    for (const chunk of chunks) {
      this.usage = chunk.usage ?? this.usage;
      this.upstreamCostUsd = chunk.upstreamCostUsd ?? this.upstreamCostUsd;
      this.upstreamId ??= chunk.upstreamId;
      this.systemFingerprint ??= chunk.systemFingerprint;
      this.serviceTier = chunk.serviceTier ?? this.serviceTier;
      for (const choice of chunk.choices) {
        if (choice.index !== 0) continue;
        const { delta } = choice;
        if (delta.content) this.text += delta.content;
        if (delta.reasoning) this.reasoning += delta.reasoning;
        if (delta.refusal && !delta.content) this.text += delta.refusal;
        for (const call of delta.tool_calls ?? []) addToolCall(this.toolCalls, call);
        if (choice.finish_reason !== null) {
          this.finish ??= { reason: choice.finish_reason, native: choice.native_finish_reason };
        }
      }
    }
    if (this.text.length > PACK_ABOVE_CHARACTERS || this.reasoning.length > PACK_ABOVE_CHARACTERS) this.pack();
  }

  unpack(): void {
    const text = this.packedText?.unpack() ?? null;
    const reasoning = this.packedReasoning?.unpack() ?? null;
    if (text !== null) {
      this.text = text + this.text;
      this.packedText = undefined;
    }
    if (reasoning !== null) {
      this.reasoning = reasoning + this.reasoning;
      this.packedReasoning = undefined;
    }
    this.notePacked();
  }

  private pack(): void {
    if (this.text.length > PACK_ABOVE_CHARACTERS) {
      this.packedText ??= createPackedText(this.keeping);
      this.text = this.packedText.append(this.text);
    }
    if (this.reasoning.length > PACK_ABOVE_CHARACTERS) {
      this.packedReasoning ??= createPackedText(this.keeping);
      this.reasoning = this.packedReasoning.append(this.reasoning);
    }
    this.notePacked();
  }

  private notePacked(): void {
    const { packedText, packedReasoning } = this;
    this.packedTextLength = packedText?.length ?? 0;
    this.packedReasoningLength = packedReasoning?.length ?? 0;
    this.packedWeight = (packedText?.weight ?? 0) + (packedReasoning?.weight ?? 0);
  }
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
