import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { classNames } from '../class-names.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The gateway's error message about the value. */
  readonly error?: string | undefined;
  readonly className?: string | undefined;
  /** Gets what ties the control to its label, hint and error. */
  readonly children: (control: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ReactNode;
}

export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId();
  const isInvalid = error !== undefined;
  const hasNote = isInvalid || hint !== undefined;
  return (
    <div className={classNames('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': isInvalid || undefined,
      })}
      {hasNote && (
        <div id={`${id}-note`} className={classNames('text-xs', isInvalid ? 'text-bad' : 'text-ink-faint')}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Checkbox({ label, hint, className, ...rest }: CheckboxProps) {
  return (
    <label className={classNames('flex cursor-pointer items-start gap-2 py-0.5 text-sm', className)}>
      <input type="checkbox" className="mt-0.5 size-4 shrink-0 accent-accent" {...rest} />
      <span>
        {label}
        {hint !== undefined && <span className="block text-xs text-ink-faint">{hint}</span>}
      </span>
    </label>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** Null where none of them is chosen. */
  readonly value: Value | null;
  /** The label of each value, in the order they are shown; values that are whole numbers come first, ascending. */
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

/** One of a few, side by side. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const names = Object.entries(options) as [Value, string][];
  const reached = names.some(([option]) => option === value) ? value : names[0]?.[0];
  return (
    <div
      role="radiogroup"
      aria-label={label}
      onKeyDown={walkRadios}
      className="inline-flex flex-wrap rounded-md border border-line-strong/50 bg-surface p-0.5"
    >
      {names.map(([option, name]) => (
        <button
          key={option}
          type="button"
          role="radio"
          aria-checked={option === value}
          tabIndex={option === reached ? 0 : -1}
          onClick={() => onChange(option)}
          className={classNames(
            'min-h-6.5 rounded px-2.5 text-sm',
            option === value ? 'bg-accent-soft font-medium text-accent' : 'text-ink-soft hover:text-ink',
          )}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** What arrow keys, Home and End do in a group of buttons that are radios: they choose the next, and go there. */
export function walkRadios(event: KeyboardEvent<HTMLElement>): void {
  const radios = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]:not(:disabled)')];
  const at = radios.findIndex((radio) => radio === document.activeElement);
  const step = STEPS[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? -1 : step === undefined ? null : at + step;
  if (at < 0 || next === null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  const radio = radios.at(next % radios.length);
  radio?.focus();
  radio?.click();
}

/** The gateway's message about a field of a form; undefined when there is none. */
export function issueFor(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
}

interface FoldedProps {
  readonly title: ReactNode;
  /** Whether something in it is wrong, which must be seen. It stays open then: what is mended is not folded away. */
  readonly hasIssue: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Fields that few need, folded away at first. */
export function Folded({ title, hasIssue, className, children }: FoldedProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (hasIssue && !isOpen) setIsOpen(true);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className={classNames('text-sm', className)}
    >
      <summary className="w-fit rounded text-accent">{title}</summary>
      {children}
    </details>
  );
}
