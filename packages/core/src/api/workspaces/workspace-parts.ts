import type { Catalog } from '../../catalog/catalog.ts';
import type { ServerTool } from '../../chat/stages/server-tools/server-tool.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';
import type { WebhookOptions } from '../../webhooks/webhooks.ts';

export interface WorkspaceParts {
  readonly platform: Platform;
  readonly catalog: Catalog;
  /** The embedder's own. */
  readonly serverTools: readonly ServerTool[];
  readonly store: Pick<Store, 'destinations' | 'guardrails' | 'keys' | 'workspaces'>;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}
