import { fromKeptItems } from '../formats/responses/kept-response.ts';
import { GatewayError } from '../foundation/errors.ts';
import { isRecord, type Unchecked } from '../foundation/parse.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import { readableBodyOf } from '../generations/whole-request.ts';
import type { RequestContext } from '../http/request.ts';
import { toResponsesInput } from '../providers/openai-responses/request/to-responses-request.ts';
import type { GenerationRecord, Store, StoredContent } from '../stores/store.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { KeptResponse } from '../wire/kept-response.ts';
import { itemsOf } from '../wire/response-items.ts';

export interface StoredResponseParts {
  readonly store: Pick<Store, 'generations' | 'keys'>;
}

export type FindingContext = Pick<RequestContext<StoredResponseParts>, 'principal' | 'parts'>;

/** A response of `POST /responses` as it is read from its generation. */
export interface StoredResponse {
  readonly record: GenerationRecord;
  /** The request, whose input begins with what the responses before it were. */
  readonly body: Unchecked;
  readonly members: KeptResponse['members'];
  /** Its items, with all that is needed to send them back. */
  readonly items: readonly Unchecked[];
}

/**
 * Finds a response for a caller that may read its generation. Throws `not_found` with the reason: for all other callers
 * there is none, and one of which nothing is stored is no longer there.
 */
export async function findResponse(id: string, context: FindingContext): Promise<StoredResponse> {
  const record = await findReadableGeneration(id, context, 'response');
  if (record.generation.response_deleted === true) throw refuse(`Response ${id} was deleted`);
  const content = await context.parts.store.generations.getContent(record.generation.id);
  if (content?.response === undefined) throw refuse(findReason(id, content));
  const { members, items } = content.response;
  return { record, body: bodyOf(content), members, items: fromKeptItems(items, content.output) };
}

const refuse = (reason: string): GatewayError => new GatewayError('not_found', reason);

function findReason(id: string, content: StoredContent | undefined): string {
  if (content === undefined) {
    return (
      `The content of ${id} is not stored: contents are not stored on this gateway (logging.inputOutput) or in the ` +
      'region of the call, or it has expired, was deleted, or was too long'
    );
  }
  const { request } = content;
  if (request?.format !== 'responses') return `Generation ${id} is no response: it was made in another format`;
  const body = readableBodyOf(request);
  if (isRecord(body) && body['store'] === false) return `Response ${id} was made with store: false`;
  return `Response ${id} is not stored: it failed before it began, or was made before responses were stored`;
}

/** The request of a response. One that a hook of the host has changed is stored as a chat. */
function bodyOf({ request }: StoredContent): Unchecked {
  const read = request && readableBodyOf(request);
  const body = isRecord(read) ? read : {};
  if (request?.format === 'responses') return body;
  const { messages, tools, ...others } = body;
  const said = Array.isArray(messages) ? (messages as ChatMessage[]) : [];
  const [first] = said;
  const instructions = first?.role === 'system' && typeof first.content === 'string' ? first.content : null;
  return {
    ...others,
    instructions,
    input: toResponsesInput(instructions === null ? said : said.slice(1)),
    ...(Array.isArray(tools) && { tools: tools.map(toTool) }),
    tool_choice: null,
  };
}

const toTool = (tool: unknown): unknown =>
  isRecord(tool) && isRecord(tool['function']) ? { ...tool['function'], type: 'function' } : tool;

/** The input of a response as items. */
export const inputOf = ({ body }: StoredResponse): readonly Unchecked[] => itemsOf(body['input']);
