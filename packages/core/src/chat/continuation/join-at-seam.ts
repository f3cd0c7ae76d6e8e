/** Joins the text of an endpoint that continues a completion to the text before it. */
export interface SeamJoint {
  /** Adds a piece; returns what follows the text before. Empty while that is not decided. */
  push(piece: string): string;
  /** No further text comes; returns what was held back. */
  end(): string;
}

export interface Seam {
  /** The text that the endpoint was given to continue, without white space at its end. */
  readonly prefill: string;
  /** The white space that was sent behind it, which the endpoint does not know of. */
  readonly gap: string;
  /** The endpoint may begin with all it was given, whatever its length. */
  readonly mayRepeatAll: boolean;
}

/** A shorter text may well come twice. */
const MIN_OVERLAP = 20;
const MAX_OVERLAP = 50;

/**
 * Creates the joint. An endpoint that continues may repeat the end of the text, or all of it, and brings white space
 * that is there already: neither may come twice. Holds back no more than it has to compare.
 */
export function joinAtSeam({ prefill, gap, mayRepeatAll }: Seam): SeamJoint {
  const repeats = findRepeats(prefill, mayRepeatAll);
  let held = '';
  let isDecided = false;

  const decide = (isEnd: boolean): string => {
    const repeated = repeats.find((repeat) => held.startsWith(repeat)) ?? '';
    const mayBeLonger = repeats.some((repeat) => repeat.length > held.length && repeat.startsWith(held));
    if (mayBeLonger && !isEnd) return '';
    const rest = held.slice(repeated.length);
    const blank = commonStart(rest, gap);
    if (blank === rest.length && blank < gap.length && !isEnd) return '';
    isDecided = true;
    held = '';
    return rest.slice(blank);
  };

  return {
    push(piece) {
      if (isDecided) return piece;
      held += piece;
      return held === '' ? '' : decide(false);
    },
    end: () => (isDecided ? '' : decide(true)),
  };
}

/** The texts that are no continuation where an endpoint begins with them, the longest first. */
function findRepeats(prefill: string, mayRepeatAll: boolean): readonly string[] {
  const repeats: string[] = [];
  const isLongEnough = prefill.length >= MIN_OVERLAP && !isPeriodic(prefill);
  if (prefill !== '' && (mayRepeatAll || isLongEnough)) repeats.push(prefill);
  for (let length = Math.min(MAX_OVERLAP, prefill.length - 1); length >= MIN_OVERLAP; length -= 1) {
    const tail = prefill.slice(-length);
    if (!isPeriodic(tail)) repeats.push(tail);
  }
  return repeats;
}

/** Whether a text is the same again and again, as a line of dashes is: then more of it is no repetition. */
function isPeriodic(text: string): boolean {
  const second = text.indexOf(text.slice(0, Math.ceil(text.length / 2)), 1);
  return second !== -1 && text.startsWith(text.slice(second));
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
