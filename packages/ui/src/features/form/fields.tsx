import type { ComponentProps, ReactNode } from 'react';
import { type FieldPath, type FieldValues, useController, type UseFormReturn } from 'react-hook-form';

import { Checkbox, Field } from '../../parts/controls/field.tsx';
import { issueFor } from '../../parts/controls/issue-for.ts';

/** What the fields of a form share. */
export interface FormParts<Values extends FieldValues> {
  /** Holds the values. */
  readonly form: UseFormReturn<Values>;
  /** Why they were not saved; the gateway's message about a field is shown there. */
  readonly error: unknown;
}

interface NamedProps<Values extends FieldValues> extends FormParts<Values> {
  readonly name: FieldPath<Values>;
  readonly label: string;
  readonly hint?: ReactNode;
}

interface LabelledProps<Values extends FieldValues> extends NamedProps<Values> {
  /** Where the gateway has the value, if that is not its name. */
  readonly path?: string;
  /** Of the field with its label. */
  readonly fieldClass?: string;
}

type Own = keyof LabelledProps<FieldValues> | 'value' | 'onChange';

interface InputFieldProps<Values extends FieldValues>
  extends LabelledProps<Values>, Omit<ComponentProps<'input'>, Own> {
  /** The value as it is typed; without, as it is. */
  readonly show?: (value: never) => string | number;
  /** What is typed as a value; without, the text itself. */
  readonly read?: (text: string) => unknown;
}

/** A text or a number of a form. */
export function InputField<Values extends FieldValues>(props: InputFieldProps<Values>) {
  const { form, error, name, path = name, label, hint, fieldClass, show = asIs, read = asText, ...input } = props;
  const { value, onChange } = useController({ control: form.control, name }).field;
  return (
    <Field
      label={label}
      hint={hint}
      error={issueFor(error, path)}
      {...(fieldClass !== undefined && { className: fieldClass })}
    >
      {(control) => (
        <input
          className="field"
          {...control}
          {...input}
          value={show(value)}
          onChange={(event) => onChange(read(event.target.value))}
        />
      )}
    </Field>
  );
}

const asIs = (value: string | number | null): string | number => value ?? '';
const asText = (text: string): string => text;

/** An empty field as null. */
export const textOrNull = (text: string): string | null => (text === '' ? null : text);
export const numberOrNull = (text: string): number | null => (text === '' ? null : Number(text));

interface SelectFieldProps<Values extends FieldValues>
  extends LabelledProps<Values>, Omit<ComponentProps<'select'>, Own | 'children'> {
  /** Each choice with what it is called, in this order. */
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly read?: (text: string) => unknown;
}

/** One of a few values of a form; an empty one stands for null, too. */
export function SelectField<Values extends FieldValues>(props: SelectFieldProps<Values>) {
  const { form, error, name, path = name, label, hint, fieldClass, options, read = asText, ...select } = props;
  const { value, onChange } = useController({ control: form.control, name }).field;
  return (
    <Field
      label={label}
      hint={hint}
      error={issueFor(error, path)}
      {...(fieldClass !== undefined && { className: fieldClass })}
    >
      {(control) => (
        <select
          className="field"
          {...control}
          {...select}
          value={asIs(value)}
          onChange={(event) => onChange(read(event.target.value))}
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** When a limit begins anew: empty for never. */
export const RESET_OPTIONS = [
  ['', 'never'],
  ['daily', 'every day'],
  ['weekly', 'every week'],
  ['monthly', 'every month'],
] as const;

interface CheckFieldProps<Values extends FieldValues>
  extends Omit<NamedProps<Values>, 'error'>, Omit<ComponentProps<'input'>, Own | 'type'> {
  /** Whether the box says the opposite of the value. */
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
