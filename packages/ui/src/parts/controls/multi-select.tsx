import { Check, CircleHelp, Plus, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

import { formatCount } from '../../format/quantity.ts';
import { classNames } from '../class-names.ts';
import { partMessages } from '../part-messages.ts';
import { findLines, type SelectLine, type SelectOption, splitPasted, toKnownValue } from './multi-select-options.ts';
import { useCombobox } from './use-combobox.ts';

interface MultiSelectProps {
  /** What ties it to its label, hint and error: from `Field`. */
  readonly control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean | undefined;
  };
  readonly options: readonly SelectOption[];
  /** Values in the order in which they were chosen; those that are no options are marked. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** What it holds, for messages: `models`. */
  readonly noun: string;
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
  /** Whether a text that is none of the options may be chosen. */
  readonly allowsOther?: boolean;
  /** Note beside a chosen value that is no option. */
  readonly unknownNote?: string;
}

/** Several of many, found by typing. Arrows walk the list, Enter takes and leaves out, Backspace takes back the last. */
export function MultiSelect(props: MultiSelectProps) {
  const { control, options, chosen, noun, placeholder, unknownNote = partMessages().unknown } = props;
  const box = useRef<HTMLDivElement>(null);
  const field = useSelectField(props);
  const { input, isOpen, open, lines, more, combobox } = field;
  const listPlace = usePlaceBelow(box, isOpen);
  return (
    <div ref={box} onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || field.onLeave()}>
      <div
        className={classNames(
          'field flex min-h-[34px] cursor-text flex-wrap items-center gap-1 py-1 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent',
          control['aria-invalid'] === true && 'border-bad',
        )}
        onClick={(event) => {
          if (event.target !== event.currentTarget) return;
          input.current?.focus();
          open();
        }}
      >
        {chosen.map((value) => (
          <Chosen
            key={value}
            label={field.labelOf(value)}
            unknown={options.some((option) => option.value === value) ? undefined : unknownNote}
            onRemove={() => field.remove(value)}
          />
        ))}
        <input
          ref={input}
          {...control}
          {...combobox.input}
          placeholder={chosen.length === 0 ? placeholder : undefined}
          className="min-h-6 min-w-24 flex-1 bg-transparent text-sm outline-none"
          value={field.text}
          onChange={(event) => field.onType(event.target.value)}
          onClick={open}
          onKeyDown={field.onKeyDown}
          onPaste={field.onPaste}
        />
      </div>
      <SelectList combobox={combobox} place={listPlace} isOpen={isOpen} {...{ lines, more, noun, options }} />
      <p aria-live="polite" className="sr-only">
        {field.said}
      </p>
    </div>
  );
}

/** The text of the field, the list that it opens, and what keys do with both. */
function useSelectField(props: MultiSelectProps) {
  const { options, chosen, allowsOther = false } = props;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  const { lines, more } = findLines({ options, chosen, text, allowsOther });
  const { said, labelOf, ...choice } = useChoice(props);
  const add = (values: readonly string[]): void => {
    choice.add(values);
    setText('');
    combobox.reset();
  };
  const remove = (value: string): void => {
    choice.remove(value);
    input.current?.focus();
  };
  const take = (line: SelectLine | undefined): void => {
    if (line === undefined) return;
    if (line.kind === 'other') add([line.value]);
    else if (line.isChosen) remove(line.option.value);
    else add([line.option.value]);
  };
  const combobox = useCombobox({
    count: lines.length,
    isOpen,
    startsActive: true,
    onOpen: open,
    onTake: (place) => take(lines[place]),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    if (event.nativeEvent.isComposing || combobox.walk(event)) return;
    if (key === 'Enter' && (isOpen || text !== '')) {
      // Not the form's.
      event.preventDefault();
      take(lines[combobox.active]);
      // Who has typed a name is done with the list, which may hide what comes next; who walks it may want more of it.
      if (text !== '') setIsOpen(false);
    } else if (key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setIsOpen(false);
      // What was typed is given up: all else of it counts when the focus leaves.
      setText('');
    } else if (key === 'Backspace' && text === '' && chosen.length > 0) {
      remove(chosen.at(-1) ?? '');
    }
  };
  const onType = (typed: string): void => {
    setText(typed);
    combobox.reset();
    open();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const several = splitPasted(event.clipboardData.getData('text'), options);
    if (several === null) return;
    event.preventDefault();
    const isKnown = (value: string): boolean => options.some((option) => option.value === value);
    add([...new Set(allowsOther ? several : several.filter(isKnown))]);
  };
  const onLeave = (): void => {
    setIsOpen(false);
    // A name that was written out counts, also without Enter.
    const known = toKnownValue(text.trim(), options);
    const counts = options.some(({ value }) => value === known) || (allowsOther && known !== '');
    if (counts && !chosen.includes(known)) add([known]);
  };
  return {
    input,
    text,
    isOpen,
    open,
    lines,
    more,
    combobox,
    said,
    labelOf,
    remove,
    onType,
    onKeyDown,
    onPaste,
    onLeave,
  };
}

/** Changes what is chosen; `said` is what a screen reader hears of the last change. */
function useChoice({ options, chosen, onChange }: MultiSelectProps) {
  const [said, setSaid] = useState('');
  const labelOf = (value: string): string => options.find((option) => option.value === value)?.label ?? value;
  const t = partMessages().select;
  const change = (next: readonly string[], message: string): void => {
    onChange(next);
    setSaid(t.chosen(message, next.length));
  };
  return {
    said,
    labelOf,
    add(values: readonly string[]): void {
      const fresh = values.filter((value) => !chosen.includes(value));
      change([...chosen, ...fresh], t.added(fresh.length === 1 ? labelOf(fresh[0] ?? '') : String(fresh.length)));
    },
    remove(value: string): void {
      change(
        chosen.filter((other) => other !== value),
        t.removed(labelOf(value)),
      );
    },
  };
}

interface ChosenProps {
  readonly label: string;
  readonly unknown: string | undefined;
  readonly onRemove: () => void;
}

function Chosen({ label, unknown, onRemove }: ChosenProps) {
  return (
    <span
      title={unknown}
      className={classNames(
        'inline-flex max-w-full items-center gap-1 rounded border py-px pl-1.5 text-xs',
        unknown === undefined ? 'border-line bg-raised' : 'border-caution/60 bg-caution-soft text-caution',
      )}
    >
      {unknown !== undefined && <CircleHelp size={13} className="shrink-0" />}
      <span className="truncate">
        {label}
        {unknown !== undefined && <span className="sr-only"> ({unknown})</span>}
      </span>
      <button
        type="button"
        aria-label={partMessages().removeNamed(label)}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded hover:bg-line"
        onClick={onRemove}
      >
        <X size={13} />
      </button>
    </span>
  );
}

interface SelectListProps {
  readonly combobox: ReturnType<typeof useCombobox>;
  readonly place: CSSProperties | null;
  readonly isOpen: boolean;
  readonly lines: readonly SelectLine[];
  /** Lines that are left out. */
  readonly more: number;
  readonly noun: string;
  readonly options: readonly SelectOption[];
}

function SelectList({ combobox, place, isOpen, lines, more, noun, options }: SelectListProps) {
  const t = partMessages().select;
  return (
    <div
      hidden={!isOpen}
      className="card fixed z-40 flex flex-col rounded-lg p-1 shadow-xl"
      style={place ?? {}}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {/* The list itself scrolls: as the popup of its field it needs nothing that takes the focus. */}
      <div
        {...combobox.list}
        className="scroll-thin min-h-0 overflow-y-auto"
        aria-multiselectable="true"
        aria-label={t.all(noun)}
      >
        {isOpen &&
          lines.map((line, at) => (
            <Line
              key={line.kind === 'other' ? `+${line.value}` : line.option.value}
              option={combobox.optionAt(at)}
              line={line}
              isActive={at === combobox.active}
            />
          ))}
      </div>
      {lines.length === 0 && (
        <p className="px-2 py-1.5 text-sm text-ink-faint">{options.length === 0 ? t.none(noun) : t.noMatch(noun)}</p>
      )}
      {more > 0 && <p className="px-2 py-1.5 text-xs text-ink-faint">{t.more(formatCount(more))}</p>}
    </div>
  );
}

interface LineProps {
  readonly option: ReturnType<ReturnType<typeof useCombobox>['optionAt']>;
  readonly line: SelectLine;
  readonly isActive: boolean;
}

function Line({ option, line, isActive }: LineProps) {
  const isChosen = line.kind === 'option' && line.isChosen;
  return (
    <div
      {...option}
      aria-selected={isChosen}
      className={classNames(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm hover:bg-raised',
        isActive && 'bg-raised outline-1 -outline-offset-1 outline-accent',
      )}
    >
      <span aria-hidden className="w-4 shrink-0 text-accent">
        {isChosen && <Check size={15} />}
        {line.kind === 'other' && <Plus size={15} />}
      </span>
      {line.kind === 'other' ? (
        <span className="min-w-0 flex-1 truncate">{partMessages().select.addAsWritten(line.value)}</span>
      ) : (
        <>
          <span className="min-w-0 flex-1 truncate">{line.option.label}</span>
          {line.option.note !== undefined && (
            <span className="figures max-w-[55%] shrink-0 truncate text-xs text-ink-faint">{line.option.note}</span>
          )}
        </>
      )}
    </div>
  );
}

const GAP = 4;
const MAX_HEIGHT = 264;
/** Less room than this below, and more above: it opens upwards. */
const LEAST_HEIGHT = 160;

/**
 * The place of a list below an element, or above it where there is more room, as fixed coordinates: what scrolls around
 * it does not cut it off. Null while it is closed.
 */
function usePlaceBelow(element: RefObject<HTMLElement | null>, isOpen: boolean): CSSProperties | null {
  const [place, setPlace] = useState<CSSProperties | null>(null);
  useLayoutEffect(() => {
    if (!isOpen) {
      setPlace(null);
      return;
    }
    const measure = (): void => {
      const rect = element.current?.getBoundingClientRect();
      if (rect === undefined) return;
      const below = innerHeight - rect.bottom - 2 * GAP;
      const above = rect.top - 2 * GAP;
      const isAbove = below < LEAST_HEIGHT && above > below;
      const side = isAbove ? { bottom: innerHeight - rect.top + GAP } : { top: rect.bottom + GAP };
      setPlace({
        ...side,
        left: rect.left,
        width: rect.width,
        maxHeight: Math.min(MAX_HEIGHT, Math.max(80, isAbove ? above : below)),
      });
    };
    measure();
    // The field grows with what is chosen, and whatever is around it scrolls.
    const observer = new ResizeObserver(measure);
    if (element.current !== null) observer.observe(element.current);
    addEventListener('scroll', measure, { capture: true, passive: true });
    addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', measure, { capture: true });
      removeEventListener('resize', measure);
    };
  }, [element, isOpen]);
  return place;
}
