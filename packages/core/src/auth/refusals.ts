import type { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/principal.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';

/** A request of a tool that was refused before it became a call, and so is recorded nowhere else. */
export interface Refusal {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly error: { readonly status: number; readonly errorType: string; readonly message: string };
  /** The id of the key; null where there was none that is valid. */
  readonly principalId: string | null;
  readonly userAgent: string | null;
}

/** The latest refusals, for people who are connecting a tool and wait for its first call. Nothing of it is stored. */
export interface Refusals {
  /** Does nothing for an error of the gateway or a provider, and for requests of those who administer. */
  note(request: GatewayRequest, error: GatewayError, principal: Principal | undefined): void;
  /** Newest first. */
  list(): readonly Refusal[];
}

const MAX_REFUSALS = 100;
const MAX_MESSAGE = 500;
const MAX_TEXT = 200;

export function createRefusals({ now }: Pick<Platform, 'now'>): Refusals {
  let latest: readonly Refusal[] = [];
  return {
    note(request, error, principal) {
      const { method, path, headers } = request;
      const isOfTool = headers['authorization'] !== undefined || principal !== undefined;
      if (!isOfTool || principal?.kind === 'management' || !path.startsWith('/api/')) return;
      if (error.status >= 500 || error.code === 'client_closed_request') return;
      const refusal: Refusal = {
        atMs: now(),
        method,
        path: path.slice(0, MAX_TEXT),
        error: {
          status: error.status,
          errorType: error.errorType,
          message: error.message.slice(0, MAX_MESSAGE),
        },
        principalId: principal?.id ?? null,
        userAgent: firstValue(headers['user-agent'])?.slice(0, MAX_TEXT) ?? null,
      };
      latest = [refusal, ...latest.slice(0, MAX_REFUSALS - 1)];
    },
    list: () => latest,
  };
}
