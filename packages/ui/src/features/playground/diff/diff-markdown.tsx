import type { ReactElement } from 'react';

import { type MarkdownNode, readMarkdown } from '../../../parts/text/markdown.tsx';
import { isReadableMarkdown } from '../../../parts/text/plain-text.tsx';
import { type DiffPiece, diffTexts, type TextDiff } from './diff-words.ts';

export { diffTexts };

export interface MarkdownDiff extends Pick<TextDiff, 'unit'> {
  /** Whether a reader sees no difference. */
  readonly isSame: boolean;
  /** The later text with its marks. */
  readonly shown: ReactElement;
}

export interface Marks {
  /** Classes of what only the later text has. */
  readonly added: string;
  /** Classes of what only the earlier text has. */
  readonly removed: string;
}

/**
 * The later text as it reads, with what differs from the earlier one: asterisks and hashes are no words. Null where
 * either cannot be read as Markdown, or where they have too little in common.
 */
export function diffMarkdown(before: string, after: string, marks: Marks): MarkdownDiff | null {
  if (!isReadableMarkdown(before) || !isReadableMarkdown(after)) return null;
  const earlier = toVisibleText(before);
  const later = toVisibleText(after);
  if (earlier === null || later === null) return null;
  const diff = diffTexts(earlier, later);
  if (diff === null) return null;
  const shown = readMarkdown(after, () => (tree) => markTexts(tree, diff.pieces, marks));
  const isSame = diff.pieces.every(({ type, text }) => type === 'same' || text.trim() === '');
  return shown === null ? null : { unit: diff.unit, isSame, shown };
}

/** All texts of the elements, which the parser sets apart by line ends. */
function toVisibleText(text: string): string | null {
  let visible = '';
  const collect = ({ type, value = '', children = [] }: MarkdownNode): void => {
    if (type === 'text') visible += value;
    children.forEach(collect);
  };
  return readMarkdown(text, () => collect) === null ? null : visible;
}

/** Marks what was added in the texts of a tree, and puts between them what was removed. */
function markTexts(tree: MarkdownNode, pieces: readonly DiffPiece[], marks: Marks): void {
  const left = pieces.map((piece) => ({ ...piece }));
  /** What was removed, and has found no place yet. */
  let removed = '';
  const takeRemoved = (): void => {
    for (let next = left[0]; next?.type === 'removed'; next = left[0]) {
      removed += next.text;
      left.shift();
    }
  };
  const placeRemoved = (): MarkdownNode[] => {
    const text = removed.replaceAll(/\s*\n\s*/g, ' ');
    removed = '';
    return text.trim() === '' ? [] : [toElement('del', text, marks.removed)];
  };
  const mark = (value: string): MarkdownNode[] => {
    // Between blocks, rows and cells there is no place for a word.
    const isBetween = value.trim() === '';
    const nodes: MarkdownNode[] = [];
    for (let rest = value; rest !== '';) {
      takeRemoved();
      if (!isBetween) nodes.push(...placeRemoved());
      const next = left[0];
      const text = rest.slice(0, next?.text.length ?? rest.length);
      rest = rest.slice(text.length);
      nodes.push(next?.type === 'added' && !isBetween ? toElement('ins', text, marks.added) : toText(text));
      if (next !== undefined) next.text = next.text.slice(text.length);
      if (next?.text === '') left.shift();
    }
    takeRemoved();
    return isBetween ? nodes : [...nodes, ...placeRemoved()];
  };
  const visit = (node: MarkdownNode): void => {
    if (node.children === undefined) return;
    node.children = node.children.flatMap((child) => {
      if (child.type === 'text') return mark(child.value ?? '');
      visit(child);
      return [child];
    });
  };
  visit(tree);
  takeRemoved();
  tree.children?.push(...placeRemoved());
}

const toText = (value: string): MarkdownNode => ({ type: 'text', value });

const toElement = (tagName: string, text: string, classes: string): MarkdownNode => ({
  type: 'element',
  tagName,
  properties: { className: classes.split(' ') },
  children: [toText(text)],
});
