import type { ComponentProps } from 'react';

/** Values to choose from in this order; one that is not its own name has a label beside it. */
export type Options<Value extends string = string> = readonly (Value | readonly [value: Value, label: string])[];

/** The choices of a `select`. */
export function OptionList({ options }: { options: Options }) {
  return options.map((option) => {
    const [value, label] = typeof option === 'string' ? [option, option] : option;
    return (
      <option key={value} value={value}>
        {label}
      </option>
    );
  });
}

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> {
  readonly label: string;
  readonly value: Value;
  readonly options: Options<Value>;
  readonly onChange: (value: Value) => void;
}

/** One of a few values. Its label is read out alone. */
export function Select<Value extends string>({ label, options, onChange, ...select }: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      className="field w-auto max-w-full"
      {...select}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      <OptionList options={options} />
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
