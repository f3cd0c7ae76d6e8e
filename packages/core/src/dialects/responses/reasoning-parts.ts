import { type EventSink, toPlace } from './output-items.ts';

/** A text of a reasoning item. */
interface Part {
  /** The number of its block in the completion. */
  readonly block: unknown;
  /** The members of each of its pieces. */
  readonly place: string;
  text: string;
}

/** The texts of one reasoning item, one after the other. */
export interface ReasoningParts {
  write(text: string, block: unknown): void;
  /** Ends the part that is open; returns all of them. */
  end(): readonly object[];
}

/**
 * Writes the texts of reasoning as parts of the summary, whatever they are: most clients of this form show no other
 * texts, and those that show both would show one that came in both forms twice.
 */
export function createReasoningParts({ emit, emitPiece }: EventSink, place: () => object): ReasoningParts {
  const done: object[] = [];
  let open: Part | null = null;

  const at = (): object => ({ ...place(), summary_index: done.length });
  const close = (): void => {
    if (open === null) return;
    const { text } = open;
    open = null;
    emit('response.reasoning_summary_text.done', { ...at(), text });
    emit('response.reasoning_summary_part.done', { ...at(), part: toPart(text) });
    done.push(toPart(text));
  };

  return {
    write(text, block) {
      if (open === null || open.block !== block) {
        close();
        open = { block, place: toPlace(at()), text: '' };
        emit('response.reasoning_summary_part.added', { ...at(), part: toPart('') });
      }
      open.text += text;
      emitPiece('response.reasoning_summary_text.delta', open.place, text);
    },
    end() {
      close();
      return done;
    },
  };
}

const toPart = (text: string): object => ({ type: 'summary_text', text });
