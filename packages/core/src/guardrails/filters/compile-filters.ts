import type { BUILTIN_FILTER_SLUGS } from '../../wire/guardrails.ts';
import type { EffectiveFilter } from '../effective-policy.ts';
import { createCustomFilter, createPatternSet, type PatternSet, withLeftContext } from './custom-filter.ts';
import type { Filter } from './filter.ts';
import {
  creditCardFilter,
  emailFilter,
  ibanFilter,
  ipAddressFilter,
  phoneFilter,
  ssnFilter,
} from './personal-data-filters.ts';
import { promptInjectionFilter } from './prompt-injection-filter.ts';
import { secretsFilter } from './secrets-filter.ts';

/** A filter of a policy, ready to be run. */
export interface CompiledFilter {
  readonly origin: EffectiveFilter;
  readonly filter: Filter;
}

/** The filters of one side of a call, the strongest action first. */
export interface InputFilters {
  readonly filters: readonly CompiledFilter[];
  /** Indices in `filters` of those that may match a text, ascending. The others have no match. */
  readonly candidates: PatternSet;
}

/** The filters that guard completions. */
export interface OutputFilters extends InputFilters {
  /** Places of those that may match where the text begins; the first character of it only lies before that. */
  readonly beginnings: PatternSet;
  /** The same for the very beginning of a completion, where no text precedes. */
  readonly firstBeginnings: PatternSet;
  /** Whether anything can be withheld, rather than noted. */
  readonly isStrict: boolean;
}

/** Compiles the filters for requests; null without any. Throws for patterns that cannot be compiled. */
export function compileInputFilters(effective: readonly EffectiveFilter[]): InputFilters | null {
  const filters = toFilters(effective.filter(({ side }) => side === 'input'));
  return filters.length === 0 ? null : { filters, candidates: toCandidates(filters) };
}

/** Compiles the filters for completions; null without any. Filters that cannot follow a stream are left out. */
export function compileOutputFilters(effective: readonly EffectiveFilter[]): OutputFilters | null {
  const filters = toFilters(effective.filter(({ side }) => side === 'output')).filter(
    ({ filter }) => filter.endAt !== undefined,
  );
  if (filters.length === 0) return null;
  const beginnings = filters.map(({ filter }) => filter.beginning ?? filter.trigger ?? '');
  return {
    filters,
    candidates: toCandidates(filters),
    beginnings: createPatternSet(beginnings.map(withLeftContext), true),
    firstBeginnings: createPatternSet(beginnings, true),
    isStrict: filters.some(({ origin }) => origin.action !== 'flag'),
  };
}

function toFilters(effective: readonly EffectiveFilter[]): CompiledFilter[] {
  return effective.map((origin) => ({
    origin,
    filter:
      origin.check.type === 'built-in'
        ? BUILT_IN_FILTERS[origin.check.slug]
        : createCustomFilter(origin.check.pattern, origin.check.label),
  }));
}

function toCandidates(filters: readonly CompiledFilter[]): InputFilters['candidates'] {
  const triggers = filters.map(({ filter }) => filter.trigger ?? '');
  return createPatternSet(triggers, false);
}

/** The filters that come with the gateway, by the slug that guardrails name them by. */
export const BUILT_IN_FILTERS: Readonly<Record<(typeof BUILTIN_FILTER_SLUGS)[number], Filter>> = {
  email: emailFilter,
  phone: phoneFilter,
  ssn: ssnFilter,
  'credit-card': creditCardFilter,
  'ip-address': ipAddressFilter,
  iban: ibanFilter,
  secrets: secretsFilter,
  'regex-prompt-injection': promptInjectionFilter,
};
