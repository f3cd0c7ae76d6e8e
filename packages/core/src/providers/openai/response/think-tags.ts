/** A piece of text, with a leading `<think>` block separated from the rest. */
export interface SplitText {
  reasoning: string;
  content: string;
}

/** Splits the text of one completion, piece by piece. */
export interface ThinkTagSplitter {
  push(text: string): SplitText;
  /** Call once at the end. Returns the text that was held back because it might have become a tag. */
  flush(): SplitText;
}

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Only a block at the very beginning is reasoning, not later tags. Line breaks just inside the opening tag and between
 * the block and the content are removed with the tags. Never holds back more than could still become a tag.
 */
export function createThinkTagSplitter(): ThinkTagSplitter {
  let phase: 'before' | 'opened' | 'inside' | 'closed' | 'content' = 'before';
  let held = '';

  const push = (text: string): SplitText => {
    if (phase === 'content') return { reasoning: '', content: text };
    let rest = held + text;
    let reasoning = '';
    held = '';
    if (phase === 'before') {
      const start = rest.trimStart();
      if (start.startsWith(OPENING)) {
        phase = 'opened';
        rest = start.slice(OPENING.length);
      } else if (OPENING.startsWith(start)) {
        held = rest;
        return { reasoning: '', content: '' };
      } else {
        phase = 'content';
        return { reasoning: '', content: rest };
      }
    }
    if (phase === 'opened') {
      rest = rest.trimStart();
      if (rest !== '') phase = 'inside';
    }
    if (phase === 'inside') {
      const end = rest.indexOf(CLOSING);
      if (end === -1) {
        const kept = rest.length - lengthOfPartialTag(rest);
        held = rest.slice(kept);
        return { reasoning: rest.slice(0, kept), content: '' };
      }
      reasoning = rest.slice(0, end);
      rest = rest.slice(end + CLOSING.length);
      phase = 'closed';
    }
    if (phase === 'closed') {
      rest = rest.trimStart();
      if (rest !== '') phase = 'content';
    }
    return { reasoning, content: rest };
  };

  return {
    push,
    flush() {
      const rest = held;
      held = '';
      return phase === 'inside' ? { reasoning: rest, content: '' } : { reasoning: '', content: rest };
    },
  };
}

/** How much of the end of a text may be the beginning of the closing tag. */
function lengthOfPartialTag(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length -= 1) {
    if (CLOSING.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
