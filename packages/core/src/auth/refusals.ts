import type { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { firstValue, type GatewayRequest, type Principal } from '../http/request.ts';
import { type Telling, tellOthers } from './wrong-keys.ts';

/** A request of a tool that was refused before it became a call, and so is recorded nowhere else. */
interface Refusal {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly error: { readonly status: number; readonly errorType: string; readonly message: string };
  /** The id of the key; null where there was none that is valid. */
  readonly principalId: string | null;
  readonly userAgent: string | null;
  /** Null where it was refused before that was known. */
  readonly model: string | null;
}

/** What was known of a request when it was refused. */
interface AskedFor {
  readonly principal: Principal | undefined;
  readonly model: string | null;
}

/** The latest refusals, for people who are connecting a tool and wait for its first call. Nothing of it is stored. */
export interface Refusals {
  /** Does nothing for an error of the gateway or a provider, and for requests of those who administer. */
  note(request: GatewayRequest, error: GatewayError, asked: AskedFor): void;
  /** Newest first. */
  list(): readonly Refusal[];
}

const MAX_REFUSALS = 1000;
const MAX_MESSAGE = 500;
const MAX_TEXT = 200;
/** Refusals a message to other processes: of a flood they learn the latest. */
const MAX_UNTOLD = 100;

/** With `others`, the list has the refusals of all processes. */
export function createRefusals({ now }: Pick<Platform, 'now'>, others?: Telling): Refusals {
  const latest = createRing<Refusal>(MAX_REFUSALS);
  const untold = createRing<Refusal>(MAX_UNTOLD);
  const tell =
    others &&
    tellOthers(
      others,
      () => untold.take(),
      (told) => {
        for (const refusal of (told as readonly Refusal[]).toReversed()) latest.add(refusal);
      },
    );
  return {
    note(request, error, { principal, model }) {
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
        model: model?.slice(0, MAX_TEXT) ?? null,
      };
      latest.add(refusal);
      if (tell === undefined) return;
      untold.add(refusal);
      tell();
    },
    list: () => latest.list().sort((one, other) => other.atMs - one.atMs),
  };
}

/** Keeps the latest of many without moving any: a flood of refusals costs no more than a few. */
function createRing<Item>(size: number) {
  let items: Item[] = [];
  /** Where the next one goes, once there are as many as may be. */
  let next = 0;
  const list = (): Item[] => [...items.slice(next), ...items.slice(0, next)].reverse();
  return {
    add(item: Item): void {
      items[next] = item;
      next = (next + 1) % size;
    },
    /** A copy, newest first. */
    list,
    /** The same, and begins anew. */
    take(): Item[] {
      const taken = list();
      items = [];
      next = 0;
      return taken;
    },
  };
}
