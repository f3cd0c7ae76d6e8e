import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

import { formatBytes } from '../../format/quantity.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { showControls } from './show-controls.ts';
import { useLineIndex } from './use-line-index.ts';

const LINE_HEIGHT = 20;

/** A text of any length as numbered lines, of which only those in sight are in the document. */
export function LongText({ text }: { text: string }) {
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
        <span>
          {formatBytes(text.length)}, {lines.count.toLocaleString('en-US')} lines, shown as written
        </span>
        <CopyButton look="quiet" text={text} label="Copy all" />
      </div>
      <div
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="A long text"
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
