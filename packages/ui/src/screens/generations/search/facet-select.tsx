import type { FacetValue } from '../../../api/types.ts';
import { formatCount } from '../../../format/quantity.ts';

interface FacetSelectProps {
  readonly label: string;
  /** The choice of all of them. */
  readonly any: string;
  /** One value, or several separated by commas. */
  readonly value: string | undefined;
  /** Undefined until they are counted. */
  readonly counts: readonly FacetValue[] | undefined;
  /** Shown even where nothing is counted for them; others follow as they are counted. */
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly className?: string;
  readonly onChange: (value: string | undefined) => void;
}

/** One filter, each of its values with how many calls it would leave. */
export function FacetSelect({ label, any, value, counts, options, className = '', onChange }: FacetSelectProps) {
  const countOf = new Map(counts?.map(({ value: counted, requests }) => [counted, requests]));
  const known = new Set(options.map(([option]) => option));
  const others = [...countOf.keys()].filter((counted) => !known.has(counted)).map((counted) => [counted, counted]);
  const all = [...options, ...others];
  const isListed = value === undefined || all.some(([option]) => option === value);
  return (
    <select
      aria-label={label}
      className={`field w-auto min-w-0 flex-1 basis-36 sm:flex-none sm:basis-auto ${className}`}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{any}</option>
      {!isListed && <option value={value}>{value?.replaceAll(',', ', ')}</option>}
      {all.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
          {counts !== undefined && ` (${formatCount(countValue(countOf, option ?? ''))})`}
        </option>
      ))}
    </select>
  );
}

/** How many calls have the value; several values are added up. */
const countValue = (countOf: ReadonlyMap<string, number>, option: string): number =>
  option.split(',').reduce((sum, value) => sum + (countOf.get(value) ?? 0), 0);
