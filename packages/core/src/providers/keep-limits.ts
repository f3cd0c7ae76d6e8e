import { callWithin, iterateWithin, type LimitParts } from '../foundation/time-limits.ts';
import type { Provider, WholeProvider } from './provider.ts';
import type { VideoProvider } from './video-contract.ts';

const LIST_TIMEOUT_MS = 30_000;

/** Creates `keepLimits` for a gateway, which makes the same of the same provider. */
export function createLimitKeeper(parts: LimitParts): (provider: Provider) => Provider {
  const made = new WeakMap<Provider, Provider>();
  return (provider) => {
    let kept = made.get(provider);
    if (kept === undefined) made.set(provider, (kept = keepLimits(provider, parts)));
    return kept;
  };
}

/**
 * A provider whose time limits hold whatever it does: a call that is not over within them fails with a `TransportError`,
 * its signal fires, and what comes of it later has no effect.
 */
function keepLimits(provider: WholeProvider, parts: LimitParts): Provider {
  const { chat, chatWhole, countTokens, embeddings, listModels, video } = provider;
  // Each member by its name, because those of a class are not copied.
  const kept: { readonly [Name in keyof Required<WholeProvider>]: WholeProvider[Name] | undefined } = {
    slug: provider.slug,
    name: provider.name,
    preset: provider.preset,
    dataPolicy: provider.dataPolicy,
    region: provider.region,
    byok: provider.byok,
    gateway: provider.gateway,
    discoverModels: provider.discoverModels,
    putsModelInPath: provider.putsModelInPath,
    prefillOf: provider.prefillOf?.bind(provider),
    listModels:
      listModels &&
      ((signal) =>
        callWithin({ signal, limitMs: LIST_TIMEOUT_MS }, parts, (limited) => listModels.call(provider, limited))),
    chat:
      chat &&
      ((call) => ({
        [Symbol.asyncIterator]: () => {
          const { stream, signal, timeouts } = call;
          const idleMs = stream ? timeouts.idleMs : Number.POSITIVE_INFINITY;
          const totalMs = stream ? timeouts.totalMs : timeouts.nonStreamMs;
          return iterateWithin({ signal, idleMs, totalMs }, parts, (work) =>
            chat.call(provider, { ...call, ...work })[Symbol.asyncIterator](),
          );
        },
      })),
    chatWhole:
      chatWhole &&
      ((call) =>
        callWithin({ signal: call.signal, limitMs: call.timeouts.nonStreamMs }, parts, (signal) =>
          chatWhole.call(provider, { ...call, signal }),
        )),
    countTokens:
      countTokens &&
      ((call) =>
        callWithin({ signal: call.signal, limitMs: call.timeouts.nonStreamMs }, parts, (signal) =>
          countTokens.call(provider, { ...call, signal }),
        )),
    embeddings:
      embeddings &&
      ((call) =>
        callWithin({ signal: call.signal, limitMs: call.timeoutMs }, parts, (signal) =>
          embeddings.call(provider, { ...call, signal }),
        )),
    video: video && keepVideoLimits(video, parts),
  };
  return kept as Provider;
}

function keepVideoLimits(video: VideoProvider, parts: LimitParts): VideoProvider {
  const within = <Call extends { readonly signal: AbortSignal; readonly timeoutMs: number }, Result>(
    call: Call,
    ask: (call: Call) => Promise<Result>,
  ): Promise<Result> =>
    callWithin({ signal: call.signal, limitMs: call.timeoutMs }, parts, (signal) => ask({ ...call, signal }));
  return {
    honoursIdempotencyKey: video.honoursIdempotencyKey,
    start: (call) => within(call, (limited) => video.start(limited)),
    poll: (call) => within(call, (limited) => video.poll(limited)),
    find: video.find && ((call) => within(call, (limited) => video.find?.(limited) ?? Promise.resolve([]))),
    async fetch(call) {
      const { timeoutMs } = call;
      // One signal for the response and its body.
      const work = new AbortController();
      const signal = AbortSignal.any([call.signal, work.signal]);
      const content = await within({ ...call, signal }, () => video.fetch({ ...call, signal })).catch(
        (error: unknown) => {
          work.abort(error);
          throw error;
        },
      );
      const limits = { signal: call.signal, idleMs: timeoutMs, totalMs: Number.POSITIVE_INFINITY, hasBegun: true };
      const open = (): AsyncIterator<Uint8Array> =>
        iterateWithin(limits, parts, ({ signal: ended }) => {
          ended.addEventListener('abort', () => work.abort(ended.reason), { once: true });
          return content.body[Symbol.asyncIterator]();
        });
      return { ...content, body: { [Symbol.asyncIterator]: open } };
    },
  } as VideoProvider;
}
