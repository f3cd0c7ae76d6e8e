import type { ChatCall, ChatChunk, ChatChunkChoice, ErrorCode, Provider, Transport, Usage } from '@model-gateway/core';

import type { ContractCase } from '../contract-case.ts';

/** A provider with `chat`, and what its upstream sends, in the wire format of that upstream. */
export interface ProviderSubject {
  /** Makes the provider; it has to send every request by this transport. */
  create(transport: Transport): Provider;
  /** The endpoint's name of the model. Default: `model`. */
  readonly providerModel?: string | undefined;
  /** A completion with a text, in several events. */
  readonly completion: UpstreamCompletion;
  /** Others, such as one with tool calls. */
  readonly furtherCompletions?: readonly UpstreamCompletion[] | undefined;
  readonly refusals: readonly UpstreamRefusal[];
}

/** One completion, unstreamed and streamed. */
export interface UpstreamCompletion {
  /** The body of the unstreamed response. */
  readonly whole: string;
  /** The content type of that. Default: `application/json`. */
  readonly wholeType?: string | undefined;
  /** The body of the streamed response, an event each, with all of its framing: as text, or as bytes. */
  readonly events: readonly (string | Uint8Array)[];
  /** The content type of that. Default: `text/event-stream`. */
  readonly streamType?: string | undefined;
  readonly expected: {
    /** Empty where there is no text. */
    readonly content: string;
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[] | undefined;
    readonly finishReason: NonNullable<ChatChunkChoice['finish_reason']>;
    /** The fields that the usage must have; absent where upstream reports none. */
    readonly usage?: Partial<Usage> | undefined;
  };
}

/** A response by which upstream refuses a request. */
export interface UpstreamRefusal {
  readonly status: number;
  /** Default: `content-type: application/json`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string;
  /** The code of the error that the provider has to throw. */
  readonly code: ErrorCode;
  readonly retryAfterSeconds?: number | undefined;
}

/** A provider of the core's own wires, which may have a shorter way for unstreamed completions. */
export interface WholeProvider extends Provider {
  chatWhole?(call: ChatCall): Promise<ChatChunk>;
}

/** A member that a provider with `chat` may do without, and of which there are cases. */
export type OptionalProviderMember = 'chatWhole';

/**
 * What a case demands beyond what every caller sees: an optional member, or `readsPieces`, that the provider itself takes
 * the pieces of the response one by one and gives what each has completed before it takes the next. A provider over a
 * `ReadableStream` or the package of another vendor reads ahead, and does without.
 */
export type ProviderNeed = OptionalProviderMember | 'readsPieces';

export interface ProviderCase extends ContractCase<ProviderSubject> {
  /** What the case is about, where a provider may do without. One that does fails the case: skip it there. */
  readonly needs?: ProviderNeed | undefined;
}

/** The member of a provider. Throws where there is none, as a case about it would say nothing. */
export function expectProviderMember<Member extends OptionalProviderMember>(
  provider: WholeProvider,
  member: Member,
): NonNullable<WholeProvider[Member]> {
  const found = provider[member];
  if (found !== undefined) return found.bind(provider);
  throw new Error(`The provider has no ${member}, which is optional: skip the cases that need it`);
}
