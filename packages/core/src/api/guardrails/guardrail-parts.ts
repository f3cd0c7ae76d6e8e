import type { FindKeyNames, MemberDirectory } from '../../auth/keys.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { GuardrailHits } from '../../guardrails/hits.ts';
import type { Provider } from '../../providers/provider.ts';
import type { RoutingParts } from '../../routing/plan-call.ts';
import type { Store } from '../../stores/store.ts';

export interface GuardrailParts {
  readonly platform: Platform;
  readonly store: Pick<
    Store,
    'generations' | 'guardrailHits' | 'guardrails' | 'keyAssignments' | 'keys' | 'memberAssignments' | 'workspaces'
  >;
  readonly catalog: Catalog;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly findKeyNames: FindKeyNames;
  readonly guardrailHits: Pick<GuardrailHits, 'save'>;
}

/** The parts that a dry run uses: it plans which endpoints a call may use. */
export interface DryRunParts extends Pick<GuardrailParts, 'store' | 'catalog' | 'platform'> {
  readonly routing: RoutingParts;
  readonly providers: readonly Provider[];
}
