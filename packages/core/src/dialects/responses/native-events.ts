import type { CompletionEnvelope, WholeCompletion } from '../../chat/dialect.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { NativePiece, Usage } from '../../wire/chat-chunk.ts';
import type { Emit } from './output-items.ts';
import { toResponsesUsage, withBase } from './to-response.ts';

/** Events of upstream's own, given back under the gateway's numbers. */
export interface NativeEvents {
  write(piece: NativePiece): void;
  /** The items so far, those that have ended. */
  readonly output: readonly object[];
  /** Upstream's last response; null before it has come. */
  ending(): Unchecked | null;
}

interface NativeEventsOptions {
  /** Begins the stream, once, with upstream's response where it has told one. */
  readonly begin: (given: Unchecked | undefined) => void;
  readonly emit: Emit;
  /** Writes an event whose data is text already, and needs its number alone. */
  readonly emitNumbered: (type: string, toData: (number: number) => string) => void;
}

const BEGINNINGS: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

/** Events that end a stream of this form; the end is written when the gateway knows the cost. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/** Within a text of JSON the quotes would be escaped, so this is a member. */
const NUMBER = /"sequence_number":\s*\d+/;

export function createNativeEvents({ begin, emit, emitNumbered }: NativeEventsOptions): NativeEvents {
  const output: object[] = [];
  let end: Unchecked | null = null;
  return {
    output,
    ending: () => end,
    write({ type, data }) {
      // Most events are pieces of text, and parsing them is the larger part of the work.
      if (type.endsWith('.delta') && NUMBER.test(data) && !/[\r\n]/.test(data)) {
        emitNumbered(type, (number) => data.replace(NUMBER, `"sequence_number":${number}`));
        return;
      }
      const event = JSON.parse(data) as Unchecked;
      const given = isRecord(event['response']) ? event['response'] : undefined;
      begin(BEGINNINGS.has(type) ? given : undefined);
      if (BEGINNINGS.has(type) || type === '') return;
      if (ENDS.has(type)) {
        end = { status: type.slice('response.'.length), ...given };
        return;
      }
      const { type: _type, sequence_number: _number, item, ...members } = event;
      if (type === 'response.output_item.done' && isRecord(item)) output.push(item);
      emit(type, { ...members, ...(item !== undefined && { item }) });
    },
  };
}

/** A response of upstream's own, under the names that it has here. What it lacks, and clients need, is as `base` has it. */
export function toOwn(
  given: Unchecked,
  { id, model, provider }: CompletionEnvelope,
  base: Unchecked,
): Record<string, unknown> {
  return { ...withBase(given, base), id, model, provider };
}

/** The last response of upstream's own, with what it has cost here. */
export function toOwnEnding(
  own: Unchecked,
  usage: Usage | undefined,
  members: WholeCompletion['members'],
): Record<string, unknown> {
  const given = isRecord(own['usage']) ? own['usage'] : null;
  return { ...own, usage: usage === undefined ? given : withCosts(toResponsesUsage(usage), given), ...members };
}

/** The counts that upstream names, and the costs that the gateway knows. */
function withCosts(counted: Unchecked, given: Unchecked | null): Unchecked {
  if (given === null) return counted;
  const costs = Object.entries(counted).filter(([name]) => !/token/.test(name));
  return { ...counted, ...given, ...Object.fromEntries(costs) };
}
