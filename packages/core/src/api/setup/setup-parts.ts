import type { Platform } from '../../foundation/platform.ts';
import type { Provider } from '../../providers/provider.ts';
import type { LiveSetup } from '../../setup/live-setup.ts';

export interface SetupParts {
  readonly platform: Platform;
  readonly providers: readonly Provider[];
  /** Undefined where nothing can be set up through the API. */
  readonly liveSetup: LiveSetup | undefined;
}
