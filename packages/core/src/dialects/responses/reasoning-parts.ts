import { type EventSink, toPlace } from './output-items.ts';

/** A text of a reasoning item: of the reasoning itself, or of its summary. */
interface Part {
  readonly list: 'summary' | 'content';
  /** The number of its block in the completion. */
  readonly block: unknown;
  /** The members of each of its pieces. */
  readonly place: string;
  text: string;
}

/** The texts of one reasoning item, one after the other. */
export interface ReasoningParts {
  write(list: Part['list'], text: string, block: unknown): void;
  /** Ends the part that is open; returns all of them. */
  end(): { readonly summary: readonly object[]; readonly content: readonly object[] };
}

export function createReasoningParts({ emit, emitPiece }: EventSink, place: () => object): ReasoningParts {
  const done: { summary: object[]; content: object[] } = { summary: [], content: [] };
  let open: Part | null = null;

  const close = (): void => {
    if (open === null) return;
    const { list, text } = open;
    open = null;
    const part = toPart(list, text);
    if (list === 'summary') {
      const at = { ...place(), summary_index: done.summary.length };
      emit('response.reasoning_summary_text.done', { ...at, text });
      emit('response.reasoning_summary_part.done', { ...at, part });
    } else {
      const at = { ...place(), content_index: done.content.length };
      emit('response.reasoning_text.done', { ...at, text });
      emit('response.content_part.done', { ...at, part });
    }
    done[list].push(part);
  };

  return {
    write(list, text, block) {
      if (open === null || open.list !== list || open.block !== block) {
        close();
        const at =
          list === 'summary'
            ? { ...place(), summary_index: done.summary.length }
            : { ...place(), content_index: done.content.length };
        open = { list, block, place: toPlace(at), text: '' };
        const part = toPart(list, '');
        emit(list === 'summary' ? 'response.reasoning_summary_part.added' : 'response.content_part.added', {
          ...at,
          part,
        });
      }
      open.text += text;
      const type = list === 'summary' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta';
      emitPiece(type, open.place, text);
    },
    end() {
      close();
      return done;
    },
  };
}

const toPart = (list: Part['list'], text: string): object => ({
  type: list === 'summary' ? 'summary_text' : 'reasoning_text',
  text,
});
