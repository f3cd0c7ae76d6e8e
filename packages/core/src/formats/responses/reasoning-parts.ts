import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { type EventSink, toPlace } from './event-sink.ts';

/** The formats of models whose providers send a summary as if it were the text of the reasoning. */
const SUMMARISING: ReadonlySet<unknown> = new Set(['anthropic-claude-v1', 'google-gemini-v1']);

/** Whether it is the reasoning itself, as models with open weights give it out. */
export const isRawReasoning = (detail: ReasoningDetail): boolean =>
  detail.type !== 'reasoning.summary' && !SUMMARISING.has(detail['format']);

/** How the texts of one kind of reasoning are sent. */
export interface PartForm {
  readonly list: 'summary' | 'content';
  readonly index: 'summary_index' | 'content_index';
  readonly partType: 'summary_text' | 'reasoning_text';
  /** The events of the part, and those of its text, but for their ends. */
  readonly events: readonly [part: string, text: string];
}

export const SUMMARY: PartForm = {
  list: 'summary',
  index: 'summary_index',
  partType: 'summary_text',
  events: ['response.reasoning_summary_part', 'response.reasoning_summary_text'],
};

export const RAW: PartForm = {
  list: 'content',
  index: 'content_index',
  partType: 'reasoning_text',
  events: ['response.content_part', 'response.reasoning_text'],
};

/** The texts of one reasoning item, one after the other. */
export interface ReasoningParts {
  readonly form: PartForm;
  /** `block`: the number of the text in the completion. */
  write(text: string, block: unknown): void;
  /** Ends the part that is open. */
  end(): void;
  /** The members of the item with the parts that have ended. */
  done(): { readonly summary: readonly object[]; readonly content?: readonly object[] };
}

/** A text of a reasoning item. */
interface Part {
  readonly block: unknown;
  /** The members of each of its pieces. */
  readonly place: string;
  text: string;
}

/** Writes the texts of reasoning: that of models with open weights as its content, and a summary as its summary. */
export function createReasoningParts(
  { emit, emitPiece }: EventSink,
  form: PartForm,
  place: () => object,
): ReasoningParts {
  const [ofPart, ofText] = form.events;
  const done: object[] = [];
  let open: Part | null = null;

  const at = (): object => ({ ...place(), [form.index]: done.length });
  const toPart = (text: string): object => ({ type: form.partType, text });
  const close = (): void => {
    if (open === null) return;
    const { text } = open;
    open = null;
    emit(`${ofText}.done`, { ...at(), text });
    emit(`${ofPart}.done`, { ...at(), part: toPart(text) });
    done.push(toPart(text));
  };

  return {
    form,
    write(text, block) {
      if (open === null || open.block !== block) {
        close();
        open = { block, place: toPlace(at()), text: '' };
        emit(`${ofPart}.added`, { ...at(), part: toPart('') });
      }
      open.text += text;
      emitPiece(`${ofText}.delta`, open.place, text);
    },
    end: close,
    done: () => (form.list === 'summary' ? { summary: [...done] } : { summary: [], content: [...done] }),
  };
}
