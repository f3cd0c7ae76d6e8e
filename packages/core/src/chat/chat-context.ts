import type { RequestContext } from '../http/request-context.ts';
import type { ChatRelay } from './relay.ts';

/** One chat request on its way through the gateway, with all that its call may need. */
export type ChatContext = RequestContext<ChatRelay['runtime']>;
