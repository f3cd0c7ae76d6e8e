import type { ContractCase } from '../contract-case.ts';
import { completionCases } from './completion-cases.ts';
import { failureCases } from './failure-cases.ts';
import type { ProviderSubject } from './provider-subject.ts';

/** The facts that `chat` of every provider must meet, and `chatWhole` where there is one. */
export const providerCases: readonly ContractCase<ProviderSubject>[] = [...completionCases, ...failureCases];
