import type { FindKeyNames, MemberDirectory } from '../../auth/keys.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { GuardrailHits } from '../../guardrails/hits.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Store } from '../../stores/store.ts';
import type { DryRunParts } from '../../trials/dry-run.ts';

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

/** The parts with which a guardrail is tried. */
export interface GuardrailTrialParts extends DryRunParts {
  readonly store: Pick<Store, 'generations' | 'guardrails'>;
  readonly providers: readonly Provider[];
}
