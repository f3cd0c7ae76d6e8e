import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react';

import { formatBytes, formatCount } from '../../format/quantity.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { partMessages } from '../part-messages.ts';
import { moveCursor } from '../table/move-cursor.ts';
import { showControls } from './show-controls.ts';

const LINE_HEIGHT = 22;
/** Levels that are open at first. */
const OPEN_DEPTH = 3;
const MAX_OPEN_SIZE = 60;
/** A text is cut here; copying it gives the whole. */
const MAX_SHOWN_CHARACTERS = 2000;
/** What a value has at least, however deep it stands; the tree scrolls sideways before it is less. */
const MIN_VALUE_PX = 240;

/** So that a first look at a large value shows what it is made of. */
const isOpenAtFirst = ({ depth, size, siblings }: JsonNode): boolean =>
  depth < OPEN_DEPTH && size <= MAX_OPEN_SIZE && siblings <= MAX_OPEN_SIZE;

interface JsonTreeProps {
  readonly value: unknown;
  /** Its name, read out. */
  readonly label: string;
  /** A heading above it. */
  readonly title?: ReactNode;
}

/** A JSON value as a tree that opens and closes; of a large one only the lines in sight are in the document. */
export function JsonTree({ value, label, title }: JsonTreeProps) {
  const t = partMessages().text;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const lines = useMemo(
    () => flattenJson(value, (node) => isOpenAtFirst(node) !== toggled.has(node.path)),
    [value, toggled],
  );
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 10,
  });
  const toggle = ({ path, size }: JsonLine): void => {
    if (size === null || size === 0) return;
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const line = lines[cursor];
    if (line === undefined || event.ctrlKey || event.metaKey) return;
    const next = moveCursor(event.key, cursor, lines.length, 20);
    if (next !== null) {
      setCursor(next);
      virtual.scrollToIndex(next);
    } else if (event.key === 'Enter' || event.key === ' ') toggle(line);
    else if ((event.key === 'ArrowRight' && !line.isOpen) || (event.key === 'ArrowLeft' && line.isOpen)) toggle(line);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const items = virtual.getVirtualItems();
  const isCursorShown = items.some(({ index }) => index === cursor);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 items-center gap-3 border-b max-sm:gap-0.5 border-line py-1 pr-1.5 pl-4 text-xs text-ink-faint">
        {title}
        {/* Where it does not fit, it wraps out of sight: a part of a number would be another number. */}
        <span className="flex h-4.5 min-w-0 flex-1 flex-wrap overflow-hidden">
          <span className="h-full w-px" />
          <span className="whitespace-nowrap">{t.linesShown(formatCount(lines.length))}</span>
        </span>
        <CopyButton look="quiet" className="shrink-0" label={t.copyJson} text={() => JSON.stringify(value, null, 2)} />
      </div>
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={isCursorShown ? `${baseId}${cursor}` : undefined}
        onKeyDown={onKeyDown}
        className="group/tree scroll-thin min-h-0 flex-1 overflow-auto py-1 font-mono text-xs outline-offset-[-2px]"
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const line = lines[index];
            if (line === undefined) return null;
            return (
              <TreeLine
                key={line.path}
                id={`${baseId}${index}`}
                line={line}
                index={index}
                topPx={start}
                measure={virtual.measureElement}
                isAtCursor={index === cursor}
                onPick={() => {
                  setCursor(index);
                  toggle(line);
                }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface TreeLineProps {
  readonly id: string;
  readonly line: JsonLine;
  readonly index: number;
  readonly topPx: number;
  /** Told of the element, whose text may take several lines. */
  readonly measure: (element: HTMLElement | null) => void;
  readonly isAtCursor: boolean;
  readonly onPick: () => void;
}

function TreeLine({ id, line, index, topPx, measure, isAtCursor, onPick }: TreeLineProps) {
  const indentPx = 12 + line.depth * 16;
  return (
    <div
      ref={measure}
      data-index={index}
      id={id}
      role="treeitem"
      aria-level={line.depth + 1}
      aria-expanded={line.size ? line.isOpen : undefined}
      aria-selected={isAtCursor}
      onClick={onPick}
      style={{
        transform: `translateY(${topPx}px)`,
        paddingLeft: indentPx,
        minHeight: LINE_HEIGHT,
        width: `max(100%, ${indentPx + MIN_VALUE_PX}px)`,
      }}
      className={`absolute top-0 left-0 flex items-start gap-1 py-0.5 pr-3 leading-4.5 break-words whitespace-pre-wrap ${line.size ? 'cursor-pointer hover:bg-raised' : ''} ${isAtCursor ? 'group-focus-visible/tree:bg-raised' : ''}`}
    >
      <span className="w-3.5 shrink-0 pt-0.5 text-ink-faint">
        {line.size ? line.isOpen ? <ChevronDown size={13} /> : <ChevronRight size={13} /> : null}
      </span>
      {line.name !== null && <span className="max-w-1/2 shrink-0 text-accent">{showControls(line.name)}:</span>}
      <JsonValue line={line} />
    </div>
  );
}

function JsonValue({ line: { value, size, isOpen } }: { line: JsonLine }) {
  const t = partMessages().text;
  if (Array.isArray(value))
    return <span className="text-ink-faint">{isOpen ? '[' : `[ ${t.items(value.length)} ]`}</span>;
  if (size !== null) return <span className="text-ink-faint">{isOpen ? '{' : `{ ${t.members(size)} }`}</span>;
  if (typeof value !== 'string') return <span className="text-caution">{String(value)}</span>;
  const uri = /^data:([\w/+.-]+)[;,]/.exec(value);
  if (uri !== null) {
    return (
      <span className="rounded bg-raised px-1.5 py-0.5 text-ink-soft">
        data: {uri[1]}, {formatBytes(value.length)}
      </span>
    );
  }
  const isCut = value.length > MAX_SHOWN_CHARACTERS;
  return (
    <span className="min-w-0 text-good">
      {showControls(JSON.stringify(value.slice(0, MAX_SHOWN_CHARACTERS)))}
      {isCut && <span className="text-ink-faint"> … {formatBytes(value.length)}</span>}
    </span>
  );
}

interface JsonLine {
  /** `$.messages[0].content`; unique in the tree. */
  readonly path: string;
  readonly depth: number;
  /** The member's name or the item's number; null for the root. */
  readonly name: string | null;
  readonly value: unknown;
  /** Members or items of an object or list; null for everything else. */
  readonly size: number | null;
  readonly isOpen: boolean;
}

/** Value that can be open or closed. */
interface JsonNode {
  readonly path: string;
  readonly depth: number;
  readonly size: number;
  /** Members or items of what it stands in; 1 for the root. */
  readonly siblings: number;
}

/** Lists the lines of a value, looking only into what is open. */
export function flattenJson(root: unknown, isOpen: (node: JsonNode) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  // A stack of its own, because a body may be nested deeper than calls can be.
  const stack: (Pick<JsonLine, 'path' | 'depth' | 'name' | 'value'> & { readonly siblings: number })[] = [
    { path: '$', depth: 0, name: null, value: root, siblings: 1 },
  ];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, depth, name, value, siblings } = node;
    const size = sizeOf(value);
    const open = size !== null && size > 0 && isOpen({ path, depth, size, siblings });
    lines.push({ path, depth, name, value, size, isOpen: open });
    // One by one: a spread of a very long list would not fit the call.
    if (open) for (const child of childrenOf(value, path, depth).toReversed()) stack.push(child);
  }
  return lines;
}

function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null;
}

function childrenOf(value: unknown, path: string, depth: number) {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => ({
      path: `${path}[${index}]`,
      depth: depth + 1,
      name: String(index),
      value: item,
      siblings: value.length,
    }));
  }
  const members = Object.entries(value ?? {});
  return members.map(([name, member]: [string, unknown]) => ({
    path: /^[a-z_$][\w$]*$/i.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`,
    depth: depth + 1,
    name,
    value: member,
    siblings: members.length,
  }));
}
