import { weighText } from '../calls/texts.ts';
import type { MadeMedia } from '../catalog/prices.ts';
import { isObject } from '../foundation/parse.ts';
import type { Platform, Scratch } from '../foundation/platform.ts';
import { createTextSpool, type TextSpool, withoutHalf } from '../foundation/text-spool.ts';
import type {
  ChatChunk,
  FinishReason,
  ToolCallDelta,
  UpstreamCosts,
  UpstreamFacts,
  Usage,
} from '../wire/chat-chunk.ts';
import type { ToolCall } from '../wire/chat-request.ts';
import type { StreamTimeline } from '../wire/generation.ts';
import { LongText, type LongTexts } from './long-output.ts';

/** The content of one completion so far. */
export interface CompletionAccumulator {
  observe(chunks: readonly ChatChunk[]): void;
  /** Complete once `readBack` has returned true; before that, the beginning of a long text may be spilled. */
  readonly text: string;
  readonly reasoning: string;
  /** Length of all text so far, spilled or not, in UTF-16 code units. */
  readonly textLength: number;
  readonly reasoningLength: number;
  /** Weight of text, reasoning and tool calls, spilled or not, according to `weighText`. */
  weigh(): number;
  /** Reads spilled text back into `text` and `reasoning`; false where some was too long or could not be read. */
  readBack(): boolean;
  /**
   * The text and the reasoning of which a part is spilled, to be read until `letGo`; null where one was too long. Nothing
   * may be observed any more.
   */
  toLongTexts(): LongTexts | null;
  /** Releases what is spilled. */
  letGo(): void;
  readonly toolCalls: readonly ToolCall[];
  /** The last usage that upstream reported; some repeat or revise it. */
  readonly usage: Usage | undefined;
  readonly upstreamCostUsd: number | undefined;
  readonly upstreamCosts: UpstreamCosts | undefined;
  /** All that upstream reported about itself; citations are taken from the last list. */
  readonly upstream: UpstreamFacts | undefined;
  readonly annotations: readonly unknown[];
  /** The first finish reason of the first choice; undefined until the completion is complete. */
  readonly finish: { readonly reason: FinishReason; readonly native: string | null } | undefined;
  readonly upstreamId: string | undefined;
  readonly systemFingerprint: string | undefined;
  readonly serviceTier: string | undefined;
  /** Whether there is audio in it. Its transcript is part of the text. */
  readonly isSpoken: boolean;
  /** The images in it; undefined for none. Their sizes are not looked at. */
  readonly made: MadeMedia | undefined;
}

/** Hardly any completion is longer; one whose reader has stopped reading leaves megabytes here. */
const SPILL_ABOVE_CHARACTERS = 64 * 1024;

const NONE: readonly unknown[] = [];
const IN_MEMORY: SpillOptions = { maxLength: Infinity };

/** Creates an empty accumulator. It reads every chunk once and retains none. By default texts are held in memory. */
export function createCompletionAccumulator(spilling: SpillOptions = IN_MEMORY): CompletionAccumulator {
  return new Accumulator(spilling);
}

/** A class, because there is one for every call, and closures take more memory (docs/decisions/0016). */
class Accumulator implements CompletionAccumulator {
  text = '';
  reasoning = '';
  readonly toolCalls: ToolCall[] = [];
  usage: Usage | undefined = undefined;
  upstreamCostUsd: number | undefined = undefined;
  upstreamCosts: UpstreamCosts | undefined = undefined;
  upstream: UpstreamFacts | undefined = undefined;
  annotations: readonly unknown[] = NONE;
  finish: CompletionAccumulator['finish'] = undefined;
  upstreamId: string | undefined = undefined;
  systemFingerprint: string | undefined = undefined;
  serviceTier: string | undefined = undefined;
  isSpoken = false;
  made: MadeMedia | undefined = undefined;
  private readonly spilling: SpillOptions;
  private spilledText: SpilledText | undefined = undefined;
  private spilledReasoning: SpilledText | undefined = undefined;

  constructor(spilling: SpillOptions) {
    this.spilling = spilling;
  }

  get textLength(): number {
    return this.text.length + (this.spilledText?.length ?? 0);
  }

  get reasoningLength(): number {
    return this.reasoning.length + (this.spilledReasoning?.length ?? 0);
  }

  observe(chunks: readonly ChatChunk[]): void {
    for (const chunk of chunks) {
      this.usage = chunk.usage ?? this.usage;
      this.upstreamCostUsd = chunk.upstreamCostUsd ?? this.upstreamCostUsd;
      if (chunk.upstreamCosts !== undefined) this.upstreamCosts = chunk.upstreamCosts;
      if (chunk.upstream !== undefined) this.upstream = { ...this.upstream, ...chunk.upstream };
      this.upstreamId ??= chunk.upstreamId;
      this.systemFingerprint ??= chunk.systemFingerprint;
      this.serviceTier = chunk.serviceTier ?? this.serviceTier;
      for (const choice of chunk.choices) {
        if (choice.index !== 0) continue;
        const { delta } = choice;
        if (delta.content) this.text += delta.content;
        if (delta.reasoning) this.reasoning += delta.reasoning;
        if (delta.refusal && !delta.content) this.text += delta.refusal;
        if (delta.audio !== undefined) this.addAudio(delta.audio);
        if (delta.images !== undefined) this.addImages(delta.images.length);
        if (delta.annotations !== undefined) this.annotations = [...this.annotations, ...delta.annotations];
        for (const call of delta.tool_calls ?? []) addToolCall(this.toolCalls, call);
        if (choice.finish_reason !== null) {
          this.finish ??= { reason: choice.finish_reason, native: choice.native_finish_reason };
        }
      }
    }
    if (this.text.length > SPILL_ABOVE_CHARACTERS || this.reasoning.length > SPILL_ABOVE_CHARACTERS) this.spill();
  }

  private addImages(count: number): void {
    const images = (this.made?.images ?? 0) + count;
    if (images > 0) this.made = { images, megapixels: images, isAll: false };
  }

  weigh(): number {
    const calls = this.toolCalls.reduce(
      (sum, { function: { name, arguments: given } }) => sum + weighText(name) + weighText(given),
      0,
    );
    const spilled = (this.spilledText?.weight ?? 0) + (this.spilledReasoning?.weight ?? 0);
    return spilled + weighText(this.text) + weighText(this.reasoning) + calls;
  }

  readBack(): boolean {
    const text = this.spilledText?.readBack() ?? null;
    const reasoning = this.spilledReasoning?.readBack() ?? null;
    if (text !== null) {
      this.text = text + this.text;
      this.spilledText = undefined;
    }
    if (reasoning !== null) {
      this.reasoning = reasoning + this.reasoning;
      this.spilledReasoning = undefined;
    }
    return this.spilledText === undefined && this.spilledReasoning === undefined;
  }

  toLongTexts(): LongTexts | null {
    const { spilledText, spilledReasoning } = this;
    if (spilledText?.isHeld() === false || spilledReasoning?.isHeld() === false) return null;
    return {
      ...(spilledText && { completion: new LongText(spilledText.read, this.text) }),
      ...(spilledReasoning && { reasoning: new LongText(spilledReasoning.read, this.reasoning) }),
    };
  }

  letGo(): void {
    this.spilledText?.letGo();
    this.spilledReasoning?.letGo();
  }

  private addAudio(audio: unknown): void {
    this.isSpoken = true;
    if (isObject(audio) && typeof audio['transcript'] === 'string') this.text += audio['transcript'];
  }

  private spill(): void {
    if (this.text.length > SPILL_ABOVE_CHARACTERS) {
      this.spilledText ??= createSpilledText(this.spilling);
      this.text = this.spilledText.append(this.text);
    }
    if (this.reasoning.length > SPILL_ABOVE_CHARACTERS) {
      this.spilledReasoning ??= createSpilledText(this.spilling);
      this.reasoning = this.spilledReasoning.append(this.reasoning);
    }
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

/** A long text that is held only for the record. */
interface SpilledText {
  /** Takes a text in, all but a last half of a character, which is returned. */
  append(text: string): string;
  /** Whether it has been neither dropped nor released. */
  isHeld(): boolean;
  /** The text so far, piece by piece, again at each call. Throws where it is not held, or cannot be read. */
  read(): Iterable<string>;
  /** Returns the text so far; null when it has been dropped. Releases it, so it must be the last call. */
  readBack(): string | null;
  letGo(): void;
  /** Length of the text so far, whether or not it is still held: in UTF-16 code units, and according to `weighText`. */
  readonly length: number;
  readonly weight: number;
}

/** Limits of a text, and its storage. */
interface SpillOptions {
  /** In UTF-16 code units. A longer text is dropped. */
  readonly maxLength: number;
  /** Default: in memory. */
  readonly openScratch?: (() => Scratch) | undefined;
}

interface Spilled extends SpilledText {
  length: number;
  weight: number;
}

/** Creates an empty one. Texts are best appended by tens of kilobytes. */
export function createSpilledText({ maxLength, openScratch }: SpillOptions): SpilledText {
  let spool: TextSpool | null = createTextSpool(openScratch);
  const letGo = (): void => {
    spool?.close();
    spool = null;
  };
  const spilled: Spilled = {
    length: 0,
    weight: 0,
    append(text) {
      const whole = withoutHalf(text);
      spilled.length += whole.length;
      spilled.weight += weighText(whole);
      if (spilled.length > maxLength) letGo();
      spool?.append(whole);
      return text.slice(whole.length);
    },
    isHeld: () => spool !== null,
    read() {
      if (spool === null) throw new Error('A text that was let go cannot be read again');
      return spool.read();
    },
    readBack() {
      try {
        return spool && [...spool.read()].join('');
      } catch {
        return null;
      } finally {
        letGo();
      }
    },
    letGo,
  };
  return spilled;
}

/** Records when the text of one completion arrived. */
export interface TimelineRecorder {
  /** Call after every batch. Reads the clock only when the text has grown. */
  note(completion: Lengths): void;
  toTimeline(): StreamTimeline;
}

type Lengths = Pick<CompletionAccumulator, 'textLength' | 'reasoningLength'>;

/** Near the limit of human perception, and shorter than the pauses between most chunks. */
const FIRST_INTERVAL_MS = 20;
/** Some 4 KB in the store. */
const MAX_ARRIVALS = 500;

/** Starts to record; `startedAt` is when the call began, by the monotonic clock. */
export function recordTimeline(platform: Pick<Platform, 'monotonicNow'>, startedAt: number): TimelineRecorder {
  let intervalMs = FIRST_INTERVAL_MS;
  let textLength = 0;
  let reasoningLength = 0;
  /** Beginning of the last arrival, relative to the start. */
  let lastAt = 0;
  let gaps: number[] = [];
  let text: number[] = [];
  let reasoning: number[] = [];

  const add = (at: number, addedText: number, addedReasoning: number): void => {
    const last = gaps.length - 1;
    if (last >= 0 && at - lastAt < intervalMs) {
      text[last] = (text[last] ?? 0) + addedText;
      reasoning[last] = (reasoning[last] ?? 0) + addedReasoning;
      return;
    }
    gaps.push(at - lastAt);
    text.push(addedText);
    reasoning.push(addedReasoning);
    lastAt = at;
  };

  const coarsen = (): void => {
    const fine = { gaps, text, reasoning };
    intervalMs *= 2;
    [gaps, text, reasoning] = [[], [], []];
    let at = 0;
    lastAt = 0;
    for (const [index, gap] of fine.gaps.entries()) {
      at += gap;
      add(at, fine.text[index] ?? 0, fine.reasoning[index] ?? 0);
    }
  };

  return {
    note(completion) {
      const addedText = completion.textLength - textLength;
      const addedReasoning = completion.reasoningLength - reasoningLength;
      if (addedText === 0 && addedReasoning === 0) return;
      textLength += addedText;
      reasoningLength += addedReasoning;
      // Every round doubles the interval, so that there are some twenty of them in an hour at most.
      while (gaps.length === MAX_ARRIVALS) coarsen();
      add(Math.round(platform.monotonicNow() - startedAt), addedText, addedReasoning);
    },
    toTimeline: () => ({ interval_ms: intervalMs, gaps_ms: gaps, text, ...(reasoningLength > 0 && { reasoning }) }),
  };
}
