// The contracts that stores and providers must meet, as data: any test runner can loop over the cases.
export type { ContractCase } from './contract-case.ts';
export type { MakeStorePlace, OptionalMember, StoreCase, StorePlace } from './stores/store-case.ts';
export { durableStoreCases, storeCases } from './stores/store-cases.ts';
export { providerCases } from './providers/provider-cases.ts';
export type {
  OptionalProviderMember,
  ProviderCase,
  ProviderNeed,
  ProviderSubject,
  UpstreamCompletion,
  UpstreamRefusal,
} from './providers/provider-subject.ts';
