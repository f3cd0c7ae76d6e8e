import type { ComponentProps, ReactNode } from 'react';

import { classNames } from '../class-names.ts';

const LOOKS = {
  primary: 'bg-accent text-accent-ink border-transparent hover:brightness-110 font-medium',
  plain: 'bg-surface text-ink border-line-strong/50 hover:bg-raised',
  quiet: 'bg-transparent text-ink-soft border-transparent hover:bg-raised hover:text-ink',
  danger: 'bg-surface text-bad border-bad/60 hover:bg-bad-soft',
} as const;

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS;
  readonly icon?: ReactNode;
  /** Shows that its action is under way, and keeps it from starting twice. */
  readonly isBusy?: boolean;
}

/** A button at least 28 px high; one with an icon alone needs an `aria-label`. */
export function Button({
  look = 'plain',
  icon,
  isBusy = false,
  className,
  children,
  disabled,
  'aria-disabled': isOff,
  onClick,
  ...rest
}: ButtonProps) {
  const isInert = isBusy || isOff === true;
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled}
      // Not `disabled` while busy: a button that is loses the focus.
      aria-disabled={isInert || undefined}
      aria-busy={isBusy || undefined}
      onClick={isInert ? (event) => event.preventDefault() : onClick}
      className={classNames(
        'inline-flex min-h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 py-1 text-sm whitespace-nowrap transition-colors disabled:opacity-55 aria-disabled:opacity-55',
        LOOKS[look],
        className,
      )}
    >
      {isBusy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-t-transparent"
    />
  );
}
