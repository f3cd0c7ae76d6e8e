import { createLazyIterable } from '../../foundation/awaitable.ts';
import type { ChatCall, Provider } from '../provider.ts';

type ChatMembers = Required<Pick<Provider, 'chat' | 'chatWhole'>>;

const isResponses = ({ native }: ChatCall): boolean => native?.form === 'responses';

/**
 * Chat members that send a call of the Responses form on in it, which keeps what chat completions cannot say, and every
 * other call as `members` do. That wire is loaded with the first such call.
 */
export function withResponses(members: ChatMembers, load: () => Promise<ChatMembers>): ChatMembers {
  let loading: Promise<ChatMembers> | undefined;
  const responses = (): Promise<ChatMembers> => (loading ??= load());
  return {
    chat: (call) =>
      isResponses(call) ? createLazyIterable(async () => (await responses()).chat(call)) : members.chat(call),
    chatWhole: (call) =>
      isResponses(call) ? responses().then((wire) => wire.chatWhole(call)) : members.chatWhole(call),
  };
}
