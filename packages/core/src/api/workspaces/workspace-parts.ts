import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';
import type { WebhookOptions } from '../../webhooks/webhook-options.ts';

export interface WorkspaceParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'destinations' | 'guardrails' | 'keys' | 'workspaces'>;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}
