import type { ComponentProps } from 'react';

import { classNames } from '../class-names.ts';

/** Values to choose from in this order; one that is not its own name has a label beside it. */
export type Options<Value extends string = string> = readonly (Value | readonly [value: Value, label: string])[];

export interface SelectProps<Value extends string> extends Omit<
  ComponentProps<'select'>,
  'value' | 'onChange' | 'children'
> {
  /** Is read out alone. Left out where a label stands beside it, or around it. */
  readonly label?: string;
  readonly value: Value;
  readonly options: Options<Value>;
  readonly onChange: (value: Value) => void;
}

/**
 * One of a few values. The browser's own element, with its keys and its place above everything; `select.field` in
 * app.css gives it and its list the look of a menu.
 */
export function Select<Value extends string>({ label, options, onChange, className, ...select }: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      {...select}
      className={classNames('field', className ?? 'w-auto max-w-full')}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {options.map((option) => {
        const [value, name] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={value} value={value}>
            {name}
          </option>
        );
      })}
    </select>
  );
}

interface FilterSelectProps extends Omit<SelectProps<string>, 'value' | 'onChange'> {
  /** The choice of all of them. */
  readonly any: string;
  /** Undefined for any. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter of a list by one of a few values. */
export function FilterSelect({ any, value = '', options, onChange, ...select }: FilterSelectProps) {
  return (
    <Select
      {...select}
      value={value}
      options={[['', any], ...options]}
      onChange={(next) => onChange(next || undefined)}
    />
  );
}
