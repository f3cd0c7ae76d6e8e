import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useReducer, useRef } from 'react';

import { formatBytes, formatCount } from '../../format/quantity.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { partMessages } from '../part-messages.ts';
import { showControls } from './show-controls.ts';

const LINE_HEIGHT = 20;

/** A text of any length as numbered lines, of which only those in sight are in the document. */
export function LongText({ text }: { text: string }) {
  const t = partMessages();
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useLineIndex(text);
  const virtual = useVirtualizer({
    count: lines.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  return (
    <div className="rounded-lg border border-line">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-1 text-xs text-ink-faint">
        <span>{t.text.lines(formatBytes(text.length), formatCount(lines.count))}</span>
        <CopyButton look="quiet" text={text} label={t.actions.copyAll} />
      </div>
      <div
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={t.text.longText}
        className="scroll-thin h-96 overflow-auto font-mono text-xs outline-offset-[-2px]"
      >
        <div className="relative w-max min-w-full" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              className="absolute top-0 left-0 flex whitespace-pre"
              style={{ transform: `translateY(${start}px)`, height: LINE_HEIGHT }}
            >
              <span aria-hidden="true" className="w-14 shrink-0 pr-3 text-right text-ink-faint select-none">
                {index + 1}
              </span>
              {showControls(lines.textOf(index))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const LINE_WIDTH = 110;
/** Browsers cannot show anything taller than some 33 million pixels. */
const MAX_LINES = 1_500_000;
/** A few milliseconds' worth. */
const LINES_AT_ONCE = 50_000;

/** The lines of a text; of a very long one more and more of them, while the page continues with other work. */
function useLineIndex(text: string): LineIndex {
  const index = useMemo(() => {
    const created = createLineIndex(text, LINE_WIDTH, MAX_LINES);
    created.advance(LINES_AT_ONCE);
    return created;
  }, [text]);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = (): void => {
      if (index.isComplete) return;
      timer = setTimeout(() => {
        index.advance(LINES_AT_ONCE);
        drawAgain();
        goOn();
      });
    };
    goOn();
    return () => clearTimeout(timer);
  }, [index]);
  return index;
}

/** Where the lines of a text begin, found out piece by piece: a long text takes longer than a page may stand still. */
export interface LineIndex {
  /** Lines found so far. */
  readonly count: number;
  readonly isComplete: boolean;
  /** Looks for as many further lines. */
  advance(lines: number): void;
  /** The text of a line without its end. Empty where there is none. */
  textOf(line: number): string;
}

/** Lines to show: cut at line ends and after `width` characters. At most `maxLines` are looked for. */
export function createLineIndex(text: string, width: number, maxLines: number): LineIndex {
  // Numbers, not texts: a hundred thousand pieces of a text would cost more memory than it has itself.
  let starts = new Uint32Array(1024);
  let count = 0;
  let at = 0;
  let lineEnd = toLineEnd(text, 0);
  let isComplete = false;
  const add = (): void => {
    if (count === starts.length) {
      const larger = new Uint32Array(count * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count] = at;
    count += 1;
  };
  const step = (): void => {
    add();
    at = toCut(text, Math.min(at + width, lineEnd));
    if (at < lineEnd) return;
    if (lineEnd === text.length) isComplete = true;
    at = lineEnd + 1;
    lineEnd = toLineEnd(text, at);
  };
  return {
    get count() {
      return count;
    },
    get isComplete() {
      return isComplete || count >= maxLines;
    },
    advance(lines) {
      const last = Math.min(count + lines, maxLines);
      while (!isComplete && count < last) step();
    },
    textOf(line) {
      if (line < 0 || line >= count) return '';
      const start = starts[line] ?? 0;
      const end = line + 1 < count ? (starts[line + 1] ?? 0) : Math.min(at, text.length);
      return text.slice(start, text.charAt(end - 1) === '\n' && end > start ? end - 1 : end);
    },
  };
}

function toLineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found;
}

/** The two halves of a character outside the basic plane stay together. */
function toCut(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff && at < text.length ? at + 1 : at;
}
