import type { Emit } from './output-items.ts';

/** A text of a reasoning item: of the reasoning itself, or of its summary. */
interface Part {
  readonly list: 'summary' | 'content';
  /** The number of its block in the completion. */
  readonly block: unknown;
  text: string;
}

/** The texts of one reasoning item, one after the other. */
export interface ReasoningParts {
  write(list: Part['list'], text: string, block: unknown): void;
  /** Ends the part that is open; returns all of them. */
  end(): { readonly summary: readonly object[]; readonly content: readonly object[] };
}

export function createReasoningParts(emit: Emit, place: () => object): ReasoningParts {
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
        open = { list, block, text: '' };
        if (list === 'summary') {
          emit('response.reasoning_summary_part.added', { ...at(), part: toPart(list, '') });
        } else emit('response.content_part.added', { ...at(), part: toPart(list, '') });
      }
      open.text += text;
      emit(list === 'summary' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta', {
        ...at(),
        delta: text,
      });
    },
    end() {
      close();
      return done;
    },
  };

  function at(): object {
    return open?.list === 'summary'
      ? { ...place(), summary_index: done.summary.length }
      : { ...place(), content_index: done.content.length };
  }
}

const toPart = (list: Part['list'], text: string): object => ({
  type: list === 'summary' ? 'summary_text' : 'reasoning_text',
  text,
});
