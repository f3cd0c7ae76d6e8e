import { combineGuardrails, type GuardrailLayer } from './effective-policy.ts';
import { compileInputFilters, compileOutputFilters } from './filters/compile-filters.ts';
import type { Policy } from './policy.ts';
import { type PolicyCatalog, toNarrowings } from './to-narrowings.ts';
import { toUnavailableError } from './verdict.ts';

/** Compiles a policy. Throws `permission_denied` when one of its filters cannot be compiled. */
export function compilePolicy(layers: readonly GuardrailLayer[], catalog: PolicyCatalog): Policy {
  const effective = combineGuardrails(layers);
  const { rules, filters, budgets } = effective;
  try {
    return {
      narrowings: toNarrowings(rules, catalog),
      input: compileInputFilters(filters),
      output: compileOutputFilters(filters),
      budgets,
      content: JSON.stringify(effective),
    };
  } catch (error) {
    throw toUnavailableError('Request', error);
  }
}
