import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  useForm,
  useWatch,
  type UseFormReturn,
} from 'react-hook-form';

import { toChanged, withTyped } from './changes.ts';

interface ChangeForm<Values extends FieldValues> {
  readonly form: UseFormReturn<Values>;
  /** What is saved, as the form began with it or was reset to it. */
  readonly before: Values;
  /** The body of a request that saves what differs from that. */
  readonly change: Record<string, unknown>;
  readonly isChanged: boolean;
  /**
   * Begins again with what has been saved since. What was typed after `sent`, the values that were saved, stays in the
   * form; without them, all that differs from what it began with.
   */
  readonly show: (saved: Values, sent?: Values) => void;
}

/** A form over something that is saved already. */
export function useChangeForm<Values extends FieldValues>(
  saved: Values,
  toChange: (draft: Values, before: Values) => Record<string, unknown>,
): ChangeForm<Values> {
  const form = useForm<Values>({ defaultValues: saved as DefaultValues<Values> });
  const draft = useWatch({ control: form.control }) as Values;
  const before = form.formState.defaultValues as Values;
  const change = toChange(draft, before);
  const show = (next: Values, sent = form.formState.defaultValues as Values): void => {
    const typed = toChanged(withTyped(next, sent, form.getValues()), next);
    form.reset(next);
    for (const [name, value] of Object.entries(typed)) {
      form.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, { shouldDirty: true });
    }
  };
  return { form, before, change, isChanged: Object.keys(change).length > 0, show };
}
