import type { Provider } from '../../providers/provider.ts';
import type { ContractCase } from '../contract-case.ts';
import type { ProviderSubject } from './provider-subject.ts';

/** A member that a provider with `chat` may do without, and of which there are cases. */
export type OptionalProviderMember = 'chatWhole';

export interface ProviderCase extends ContractCase<ProviderSubject> {
  /** The member that the case is about, where it is an optional one. A provider without it fails the case: skip it there. */
  readonly needs?: OptionalProviderMember | undefined;
}

/** The member of a provider. Throws where there is none, as a case about it would say nothing. */
export function expectProviderMember<Member extends OptionalProviderMember>(
  provider: Provider,
  member: Member,
): NonNullable<Provider[Member]> {
  const found = provider[member];
  if (found !== undefined) return found.bind(provider);
  throw new Error(`The provider has no ${member}, which is optional: skip the cases that need it`);
}
