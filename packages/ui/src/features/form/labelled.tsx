import type { ComponentProps, ReactNode } from 'react';

import { Field } from '../../parts/controls/field.tsx';

/** What is said of a control. */
export interface LabelledProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The gateway's message about the value. */
  readonly error?: string | undefined;
  /** Classes of the control with its label. */
  readonly fieldClass?: string | undefined;
}

type Own = keyof LabelledProps | 'onChange';

interface LabelledInputProps extends LabelledProps, Omit<ComponentProps<'input'>, Own> {
  readonly onChange: (text: string) => void;
}

/** A line of text, or a number, with its label. */
export function LabelledInput({ label, hint, error, fieldClass = '', onChange, ...input }: LabelledInputProps) {
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(control) => (
        <input className="field" {...control} {...input} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

interface LabelledSelectProps extends LabelledProps, Omit<ComponentProps<'select'>, Own> {
  readonly onChange: (value: string) => void;
}

/** One of a few values, which are its children, with its label. */
export function LabelledSelect({ label, hint, error, fieldClass = '', onChange, ...select }: LabelledSelectProps) {
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(control) => (
        <select className="field" {...control} {...select} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
