import type { CacheTtl } from '../../wire/cache-report.ts';
import type { ReasoningEffort } from '../../wire/chat-request.ts';
import type { PrefillForm } from '../../wire/model-definition.ts';
import type { LocalServer } from './local-abilities.ts';

/**
 * The differences between one server's form of the OpenAI wire and the common one: data, so that a new provider needs
 * no code. What a completion itself shows needs no setting: positions of reasoning and usage, shapes of errors, and
 * counts with only one possible meaning.
 */
export interface OpenAiDialect {
  /** The header that carries the key: `authorization` as a bearer token, `api-key` unchanged. */
  readonly keyHeader: 'authorization' | 'api-key';
  /** The name under which the output limit is sent. OpenAI's reasoning models refuse the older one. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Fields that have another name there. */
  readonly renamedFields: Readonly<Record<string, string>>;
  /** Values that have another name there, by the field's common name. */
  readonly renamedValues: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Request fields for which the server returns an error, or which it misinterprets, instead of ignoring them. Two
   * names are values of `response_format`: `structured_outputs` for a JSON Schema, `json_object` for plain JSON.
   */
  readonly unsupportedParameters: ReadonlySet<string>;
  /** Whether the server supports the role `developer`; the older `system` has the same meaning. */
  readonly knowsDeveloperRole: boolean;
  /** Whether `name`, `refusal` and `audio` of a message may be sent. Strict servers refuse unknown fields. */
  readonly knowsMessageExtras: boolean;
  /**
   * The form of marks for the prompt cache; either of the public forms is converted to it (wire.md 6.7). OpenAI
   * supports its own from GPT-5.6 on. `null`: marks are left out.
   */
  readonly cacheMarks: 'cache_control' | 'prompt_cache_breakpoint' | null;
  /** How long marks of the form `cache_control` may keep a prompt. */
  readonly cacheTtls: readonly CacheTtl[];
  /** How files are attached. */
  readonly fileParts: 'file' | 'document_url';
  /** The ids of tool calls that the server accepts in a request; calls may have been made by another provider. */
  readonly toolCallIds: 'any' | 'nine-alphanumerics';
  /** Whether usage must be requested for a stream. */
  readonly streamUsage: 'on-request' | 'always';
  /** The form of the reasoning parameter: an effort, a switch beside it, or an object like the gateway's own. */
  readonly reasoningRequest:
    | 'effort'
    | 'thinking'
    | 'enable_thinking'
    | 'chat_template_kwargs'
    | 'reasoning_enabled'
    | 'reasoning';
  /** The values of `reasoning_effort` beside `none`, lowest first. Empty: there is no such field. */
  readonly efforts: readonly Exclude<ReasoningEffort, 'none'>[];
  /** The field in which reasoning of earlier turns is sent back to the model that made it. `null`: it is not sent. */
  readonly earlierReasoning: 'reasoning' | 'reasoning_content' | 'reasoning_details' | 'thinking-part' | null;
  /**
   * What stands for the reasoning that a turn lacks, where a server that reasons refuses such a turn: `null` elsewhere.
   * It takes turns of other models, and of clients that do not keep reasoning, by it.
   */
  readonly reasoningPlaceholder: string | null;
  /**
   * The server is a gateway with the same API as this one: it takes the fields of that beyond OpenAI's, chooses among
   * providers of its own, and makes videos by its own API.
   */
  readonly isGateway: boolean;
  /**
   * Fields of embeddings that have another name there; null for those that it refuses, which are then left out. Or
   * Cohere's own form, at `/v2/embed` of the same host.
   */
  readonly embeddings: 'cohere' | Readonly<Record<string, string | null>>;
  /** Models have names that customers chose, which say nothing of what they are. */
  readonly hasDeployments: boolean;
  /** Where the models are listed, seen from the address of the provider. */
  readonly modelsPath: string;
  /** Which model server it is, where that tells of abilities elsewhere than in its list. */
  readonly localServer: LocalServer | null;
  /** Where documents are ranked, seen from the address of the provider. */
  readonly rerankPath: string;
  /** Whether documents are read in Mistral's form, at `/ocr`. */
  readonly hasOcr: boolean;
  /**
   * The server is OpenAI's own, or Azure's: it has the newer API as well, with all of its tools, and the names of models
   * tell what they take.
   */
  readonly hasResponses: boolean;
  /** The server sends speech as events that count its tokens, where it is asked to (`stream_format`). */
  readonly hasAudioEvents: boolean;
  /**
   * What transcripts tell of the length of their audio: `verbose_json` alone does, each does and the server streams them
   * as well (`counted`), or each does and there is no `verbose_json` (`plain`).
   */
  readonly transcripts: 'verbose' | 'counted' | 'plain';
  /** Whether a `<think>` block at the beginning of a text is the model's reasoning. */
  readonly hasThinkTags: boolean;
  /** How the server is asked to continue a completion. `null`: it begins another, or that is not known. */
  readonly prefill: PrefillForm | null;
  /** The last segment of the address where it does so, where that is another one: `beta` for `/v1`. */
  readonly prefillSegment: string | null;
}

/** The dialect of most servers with this wire. */
export const COMMON_DIALECT: OpenAiDialect = {
  keyHeader: 'authorization',
  maxTokensField: 'max_tokens',
  renamedFields: {},
  renamedValues: {},
  unsupportedParameters: new Set(),
  knowsDeveloperRole: false,
  knowsMessageExtras: true,
  cacheMarks: null,
  cacheTtls: [],
  fileParts: 'file',
  toolCallIds: 'any',
  streamUsage: 'on-request',
  reasoningRequest: 'effort',
  efforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  earlierReasoning: null,
  reasoningPlaceholder: null,
  hasDeployments: false,
  isGateway: false,
  embeddings: {},
  modelsPath: '/models',
  localServer: null,
  rerankPath: '/rerank',
  hasOcr: false,
  hasResponses: false,
  hasAudioEvents: false,
  transcripts: 'verbose',
  hasThinkTags: false,
  prefill: null,
  prefillSegment: null,
};

/** A value under the name that the server has for it. Callers choose values, which may be names that all objects have. */
export function toRenamed<T>(renamed: OpenAiDialect['renamedValues'], field: string, value: T): T | string {
  const names = renamed[field];
  const isRenamed = names !== undefined && typeof value === 'string' && Object.hasOwn(names, value);
  return isRenamed ? (names[value] ?? value) : value;
}
