import { GatewayError } from '../errors.ts';
import { addLive, removeLive } from '../live-list.ts';
import type { OpenCall, Runtime } from '../runtime.ts';

/** The life of one call: the signal all its work obeys, and its place among the open ones. */
export interface CallLife {
  /** Fires with a `GatewayError` as its reason. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Call once when everything is recorded. */
  end(): void;
}

/** Opens a call that ends when its client leaves or the gateway closes. */
export function openCall(runtime: Runtime, clientSignal: AbortSignal, isStream: boolean): CallLife {
  const work = new AbortController();
  const interrupt = (error: GatewayError): void => work.abort(error);
  const onClientGone = (): void =>
    interrupt(new GatewayError('client_closed_request', 'The client closed the request'));
  if (clientSignal.aborted) onClientGone();
  else clientSignal.addEventListener('abort', onClientGone, { once: true });
  const open: OpenCall = { place: -1, isStream, interrupt };
  addLive(runtime.openCalls, open);
  return {
    signal: work.signal,
    interrupt,
    end() {
      removeLive(runtime.openCalls, open);
      clientSignal.removeEventListener('abort', onClientGone);
    },
  };
}
