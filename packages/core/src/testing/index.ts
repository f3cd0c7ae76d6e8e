// The contracts that stores and providers must meet, as data: any test runner can loop over the cases.
export type { ContractCase } from './contract-case.ts';
export type { MakeStorePlace, StoreCase, StorePlace } from './stores/store-case.ts';
export type { OptionalMember } from './stores/optional-member.ts';
export { durableStoreCases, storeCases } from './stores/store-cases.ts';
export type { OptionalProviderMember, ProviderCase } from './providers/provider-case.ts';
export { providerCases } from './providers/provider-cases.ts';
export type { ProviderSubject, UpstreamCompletion, UpstreamRefusal } from './providers/provider-subject.ts';
