import type { ComponentProps } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';

import { Checkbox, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, type LabelledProps, LabelledSelect } from '../../parts/controls/labelled.tsx';
import type { Options } from '../../parts/controls/select.tsx';
import { formMessages } from './messages.ts';

/** What the fields of a form share. */
export interface FormParts<Values extends FieldValues> {
  /** Holds the values. */
  readonly form: UseFormReturn<Values>;
  /** Why they were not saved; the gateway's message about a field is shown there. */
  readonly error: unknown;
}

interface NamedProps<Values extends FieldValues> extends FormParts<Values> {
  readonly name: FieldPath<Values>;
}

interface ValueProps<Values extends FieldValues> extends NamedProps<Values> {
  /** Where the gateway has the value, if that is not its name. */
  readonly path?: string;
  /** The value as it is shown; without, as it is. */
  readonly show?: (value: never) => string | number;
  /** What is typed or chosen as a value; without, the text itself. */
  readonly read?: (text: string) => unknown;
}

type Own = keyof ValueProps<FieldValues> | keyof LabelledProps | 'value' | 'onChange';

type InputFieldProps<Values extends FieldValues> = ValueProps<Values> &
  Omit<LabelledProps, 'error'> &
  Omit<ComponentProps<'input'>, Own>;

/** A text or a number of a form. */
export function InputField<Values extends FieldValues>(props: InputFieldProps<Values>) {
  const { form, error, name, path = name, show = asIs, read = asText, ...rest } = props;
  const { value, onChange } = useController({ control: form.control, name }).field;
  return (
    <LabelledInput
      {...rest}
      error={issueFor(error, path)}
      value={show(value)}
      onChange={(text) => onChange(read(text))}
    />
  );
}

const asIs = (value: string | number | null): string | number => value ?? '';
const asText = (text: string): string => text;

/** An empty field as null. */
export const textOrNull = (text: string): string | null => (text === '' ? null : text);
/** An empty field as null, what else is typed as a number. */
export const numberOrNull = (text: string): number | null => (text === '' ? null : Number(text));

type SelectFieldProps<Values extends FieldValues> = ValueProps<Values> &
  Omit<LabelledProps, 'error'> &
  Omit<ComponentProps<'select'>, Own | 'children'> & {
    /** Each choice with what it is called, in this order. */
    readonly options: Options;
    /** Called after the user has chosen: what depends on it may have to change, too. */
    readonly onChosen?: (chosen: string) => void;
  };

/** One of a few values of a form; an empty one stands for null, too. */
export function SelectField<Values extends FieldValues>(props: SelectFieldProps<Values>) {
  const { form, error, name, path = name, show = asIs, read = asText, options, onChosen, ...rest } = props;
  const { value, onChange } = useController({ control: form.control, name }).field;
  return (
    <LabelledSelect
      {...rest}
      error={issueFor(error, path)}
      value={String(show(value))}
      options={options}
      onChange={(chosen) => {
        onChange(read(chosen));
        onChosen?.(chosen);
      }}
    />
  );
}

/** When a limit begins again: empty for never. */
export function toResetOptions(): Options {
  const { never, daily, weekly, monthly } = formMessages().resets;
  return [
    ['', never],
    ['daily', daily],
    ['weekly', weekly],
    ['monthly', monthly],
  ];
}

interface CheckFieldProps<Values extends FieldValues>
  extends Omit<NamedProps<Values>, 'error'>, Omit<ComponentProps<typeof Checkbox>, 'form' | 'name'> {
  /** Whether the box shows the opposite of the value. */
  readonly isInverted?: boolean;
}

/** Yes or no in a form. */
export function CheckField<Values extends FieldValues>({
  form,
  name,
  isInverted = false,
  ...rest
}: CheckFieldProps<Values>) {
  const { value, onChange } = useController({ control: form.control, name }).field;
  return (
    <Checkbox
      {...rest}
      checked={value !== isInverted}
      onChange={(event) => onChange(event.target.checked !== isInverted)}
    />
  );
}
