import type { ComponentProps, ReactNode } from 'react';

import { Field } from './field.tsx';
import { Select, type SelectProps } from './select.tsx';

/** Label and description of a control. */
export interface LabelledProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The gateway's message about the value. */
  readonly error?: string | undefined;
  /** Classes of the control with its label. */
  readonly fieldClass?: string | undefined;
}

/** A control of this element, which tells its value alone. */
type Labelled<Element extends 'input' | 'textarea'> = LabelledProps &
  Omit<ComponentProps<Element>, keyof LabelledProps | 'onChange' | 'children'> & {
    readonly onChange: (text: string) => void;
  };

/** Ids of suggestions come with their values: a `datalist` is made of them. */
interface Suggesting {
  readonly suggestions?: readonly string[] | undefined;
}

/** A line of text, or a number, with its label, and with what may be meant where that is known. */
export function LabelledInput(props: Labelled<'input'> & Suggesting) {
  const { label, hint, error, fieldClass, suggestions, onChange, ...input } = props;
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(control) => {
        const list = suggestions && `${control.id}-list`;
        return (
          <>
            <input
              className="field"
              list={list}
              {...control}
              {...input}
              onChange={(event) => onChange(event.target.value)}
            />
            {list !== undefined && (
              <datalist id={list}>
                {suggestions?.map((suggested) => (
                  <option key={suggested} value={suggested} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

/** Lines of text with their label. */
export function LabelledText({ label, hint, error, fieldClass, onChange, ...text }: Labelled<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(control) => (
        <textarea
          className="field resize-y"
          {...control}
          {...text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** One of a few values with their label. */
export function LabelledSelect(props: LabelledProps & Omit<SelectProps<string>, keyof LabelledProps>) {
  const { label, hint, error, fieldClass, ...select } = props;
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(control) => <Select className="w-full" {...control} {...select} />}
    </Field>
  );
}
