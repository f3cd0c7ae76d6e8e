import { type DefaultValues, type FieldValues, useForm, useWatch, type UseFormReturn } from 'react-hook-form';

interface ChangeForm<Values extends FieldValues> {
  readonly form: UseFormReturn<Values>;
  /** What is saved, as the form began with it or was reset to it. */
  readonly before: Values;
  /** The body of a request that saves what differs from that. */
  readonly change: Record<string, unknown>;
  readonly isChanged: boolean;
}

/** A form over something that is saved already. `form.reset(saved)` begins again with what has been saved since. */
export function useChangeForm<Values extends FieldValues>(
  saved: Values,
  toChange: (draft: Values, before: Values) => Record<string, unknown>,
): ChangeForm<Values> {
  const form = useForm<Values>({ defaultValues: saved as DefaultValues<Values> });
  const draft = useWatch({ control: form.control }) as Values;
  const before = form.formState.defaultValues as Values;
  const change = toChange(draft, before);
  return { form, before, change, isChanged: Object.keys(change).length > 0 };
}
