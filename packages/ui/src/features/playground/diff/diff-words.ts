import { diffLines, diffWordsWithSpace } from 'diff';

/** A piece of two texts: in both, only in the new one, or only in the old one. */
export interface DiffPiece {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
}

export interface TextDiff {
  readonly pieces: readonly DiffPiece[];
  readonly unit: 'words' | 'lines';
}

const LIMIT_MS = 400;

/**
 * The difference of two texts by words; by lines where words take too long, and null where lines do so, too. The limit
 * holds the page up no longer than a user waits for a click.
 */
export function diffTexts(before: string, after: string, limitMs = LIMIT_MS): TextDiff | null {
  const words = diffWordsWithSpace(before, after, { timeout: limitMs });
  if (words !== undefined) return { unit: 'words', pieces: words.map(toPiece) };
  const lines = diffLines(before, after, { timeout: limitMs })?.map(toPiece);
  // That all of it is another text needs no marks.
  return lines?.some(({ type }) => type === 'same') === true ? { unit: 'lines', pieces: lines } : null;
}

const toPiece = ({ added, removed, value }: { added: boolean; removed: boolean; value: string }): DiffPiece => ({
  type: added ? 'added' : removed ? 'removed' : 'same',
  text: value,
});
