import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from '../../wire/chat/chat-chunk.ts';
import type { ToolCall } from '../../wire/chat/chat-message.ts';
import { createSpilledText, type SpilledText, type SpillOptions } from './spilled-text.ts';

/** What one answer has amounted to so far. */
export interface CompletionAccumulator {
  observe(chunks: readonly ChatChunk[]): void;
  /** Makes `text` and `reasoning` whole, of which only the end is there while they grow long. */
  unpack(): void;
  readonly text: string;
  readonly reasoning: string;
  /**
   * How much of the text is packed away, in UTF-16 code units: what is missing in front of `text`. Above 0 after
   * `unpack`, the text is not there any more, because it was too long or could not be read again.
   */
  readonly spilledTextLength: number;
  readonly spilledReasoningLength: number;
  /** Of both, as `weighText` says. */
  readonly spilledWeight: number;
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

const IN_MEMORY: SpillOptions = { maxLength: Infinity };

/** Creates an empty accumulator. It sees every chunk once and keeps no chunk. By default texts are kept in memory. */
export function createCompletionAccumulator(keeping: SpillOptions = IN_MEMORY): CompletionAccumulator {
  return new Accumulator(keeping);
}

/** A class, because there is one for every call: closures would take more memory than all they know. */
class Accumulator implements CompletionAccumulator {
  text = '';
  reasoning = '';
  spilledTextLength = 0;
  spilledReasoningLength = 0;
  spilledWeight = 0;
  readonly toolCalls: ToolCall[] = [];
  usage: Usage | undefined = undefined;
  upstreamCostUsd: number | undefined = undefined;
  finish: CompletionAccumulator['finish'] = undefined;
  upstreamId: string | undefined = undefined;
  systemFingerprint: string | undefined = undefined;
  serviceTier: string | undefined = undefined;
  private readonly keeping: SpillOptions;
  private spilledText: SpilledText | undefined = undefined;
  private spilledReasoning: SpilledText | undefined = undefined;

  constructor(keeping: SpillOptions) {
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
    const text = this.spilledText?.unpack() ?? null;
    const reasoning = this.spilledReasoning?.unpack() ?? null;
    if (text !== null) {
      this.text = text + this.text;
      this.spilledText = undefined;
    }
    if (reasoning !== null) {
      this.reasoning = reasoning + this.reasoning;
      this.spilledReasoning = undefined;
    }
    this.notePacked();
  }

  private pack(): void {
    if (this.text.length > PACK_ABOVE_CHARACTERS) {
      this.spilledText ??= createSpilledText(this.keeping);
      this.text = this.spilledText.append(this.text);
    }
    if (this.reasoning.length > PACK_ABOVE_CHARACTERS) {
      this.spilledReasoning ??= createSpilledText(this.keeping);
      this.reasoning = this.spilledReasoning.append(this.reasoning);
    }
    this.notePacked();
  }

  private notePacked(): void {
    const { spilledText, spilledReasoning } = this;
    this.spilledTextLength = spilledText?.length ?? 0;
    this.spilledReasoningLength = spilledReasoning?.length ?? 0;
    this.spilledWeight = (spilledText?.weight ?? 0) + (spilledReasoning?.weight ?? 0);
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
