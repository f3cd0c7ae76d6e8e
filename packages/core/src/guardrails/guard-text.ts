import type { TextMap } from '../calls/texts.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { type GuardOptions, guardRequest } from './guard-call.ts';

/** The result of guardrails for a text that was added to a request after its caller had sent it. */
export interface GuardedText {
  readonly text: string;
  /** Set when the text must not go to a model. */
  readonly refusal: GatewayError | null;
}

/** A text from outside is treated like one by the user. */
const asSaid: TextMap<string> = (text, change) => change({ text, role: 'user', isContinued: false, form: 'text' });

/** Applies the input filters of a policy to a text from a page, a file or a tool, as to the request. */
export async function guardText(text: string, options: GuardOptions): Promise<GuardedText> {
  const guarded = await guardRequest(text, asSaid, options);
  return { text: guarded.request, refusal: guarded.refusal };
}
