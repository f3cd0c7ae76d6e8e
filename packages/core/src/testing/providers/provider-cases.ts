import { completionCases } from './completion-cases.ts';
import { failureCases } from './failure-cases.ts';
import type { ProviderCase } from './provider-case.ts';

/** The facts that `chat` of every provider must meet, and those that need an optional member. */
export const providerCases: readonly ProviderCase[] = [...completionCases, ...failureCases];
