import type { ModelDefinition, Provider, ProviderFinding, Timeouts } from '@model-gateway/core';
import type { ProviderConfig } from '@model-gateway/node';

/** A provider that is checked, and how. */
export interface ProviderCheck {
  readonly config: ProviderConfig;
  readonly provider: Provider;
  /** Models of all providers; those of others are ignored. */
  readonly models: readonly ModelDefinition[];
  readonly timeouts: Timeouts;
  /** Whether a call may be made, which costs a little. */
  readonly call: boolean;
  /** The provider's name of the model for that call. Default: its cheapest known one. */
  readonly model?: string | undefined;
  /** Whether advice is for a form with the settings, not for a config file and the command line. Default: false. */
  readonly isForm?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the check. */
  readonly signal?: AbortSignal | undefined;
  /** Unix milliseconds, for the expiry of certificates. */
  readonly now: number;
}

/** Layers that are checked, each on top of the one before. */
type Layer = 'address' | 'dns' | 'tcp' | 'tls' | 'package' | 'auth' | 'call';

/** Result of the check of one layer. After a `failed` layer the layers above it are not checked. */
export interface Finding extends ProviderFinding {
  readonly layer: Layer;
}

/** A signal that fires after so many milliseconds, or with the one that ends the check. */
export const toLimit = (timeoutMs: number, signal: AbortSignal | undefined): AbortSignal =>
  signal === undefined ? AbortSignal.timeout(timeoutMs) : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
