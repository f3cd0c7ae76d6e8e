import { Field } from './field.tsx';

interface BudgetFieldProps {
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface AmountFieldProps extends BudgetFieldProps {
  readonly label: string;
  readonly hint: string;
}

/** An amount in USD, as typed; empty for none. */
export function AmountField({ label, hint, error, value, onChange }: AmountFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={0}
          step="any"
          className="field"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** When a budget begins anew; empty for never. */
export function ResetField({ error, value, onChange }: BudgetFieldProps) {
  return (
    <Field label="Begins anew" error={error}>
      {(control) => (
        <select {...control} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">never</option>
          <option value="daily">every day</option>
          <option value="weekly">every week</option>
          <option value="monthly">every month</option>
        </select>
      )}
    </Field>
  );
}
