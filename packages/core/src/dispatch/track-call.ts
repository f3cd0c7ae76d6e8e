import { GatewayError } from '../foundation/errors.ts';
import { addLive, removeLive, type LiveItem } from '../foundation/swap-remove-list.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { Runtime } from '../runtime.ts';

/** The life of one call: the signal all its work obeys, and its place among the open ones. */
export interface CallLife {
  /** Fires with a `GatewayError` as its reason. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Call once when everything is recorded. */
  end(): void;
}

/** Opens a call that ends when its client leaves or the gateway closes. */
export function openCall(
  runtime: Runtime,
  { signal, abort }: Pick<GatewayRequest, 'signal' | 'abort'>,
  isStream: boolean,
): CallLife {
  return abort === undefined
    ? openForwarded(runtime, signal, isStream)
    : openOnSignal(runtime, { signal, interrupt: abort }, isStream);
}

/** For a host whose signal is its own: another one fires with it, and for other reasons. */
function openForwarded(runtime: Runtime, clientSignal: AbortSignal, isStream: boolean): CallLife {
  const work = new AbortController();
  const onClientGone = (): void =>
    work.abort(new GatewayError('client_closed_request', 'The client closed the request'));
  if (clientSignal.aborted) onClientGone();
  else clientSignal.addEventListener('abort', onClientGone, { once: true });
  const interrupt = (error: GatewayError): void => work.abort(error);
  const life = openOnSignal(runtime, { signal: work.signal, interrupt }, isStream);
  return {
    ...life,
    end() {
      life.end();
      clientSignal.removeEventListener('abort', onClientGone);
    },
  };
}

function openOnSignal(
  runtime: Runtime,
  { signal, interrupt }: Pick<CallLife, 'signal' | 'interrupt'>,
  isStream: boolean,
): CallLife {
  const open: OpenCall = { place: -1, isStream, interrupt };
  addLive(runtime.openCalls, open);
  return { signal, interrupt, end: () => removeLive(runtime.openCalls, open) };
}

export interface OpenCall extends LiveItem {
  readonly isStream: boolean;
  interrupt(error: GatewayError): void;
}
