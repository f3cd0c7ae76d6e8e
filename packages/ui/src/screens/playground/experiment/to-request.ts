import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';

import { toContentPart } from '../../../features/playground/attachments.ts';
import type { AssistantTurn, Column, Turn, UserTurn, Variables } from '../../../features/playground/experiment.ts';
import { findProblems, type Setup } from '../../../features/playground/setup/setup.ts';
import { fillIn, isWritten } from '../../../features/playground/variables.ts';
import { playgroundMessages } from '../messages.tsx';

type ChatMessage = ChatCompletionRequest['messages'][number];
type Outputs = Pick<Model, 'architecture' | 'supported_voices'>;

/**
 * The body of a request that continues the conversation of a column; a text that says what is wrong where it cannot be
 * made. `outputs` is what the catalog says of the model: what is more than text has to be asked for.
 */
export function toRequest(
  setup: Setup,
  { model, turns }: Pick<Column, 'model' | 'turns'>,
  outputs: Outputs | undefined,
  variables: Variables = {},
): ChatCompletionRequest | string {
  const problem = findFirstProblem(setup, turns);
  if (problem !== undefined) return problem;
  const { more, own } = readFields(setup);
  const systemText = fillIn(setup.system, variables);
  const system: ChatMessage[] = systemText.trim() === '' ? [] : [{ role: 'system', content: systemText }];
  const toFilled = (turn: Turn): Turn => (isWritten(turn) ? { ...turn, text: fillIn(turn.text, variables) } : turn);
  return {
    ...toOutputs(outputs, setup.isStreamed),
    ...more,
    model,
    messages: [...system, ...turns.flatMap((turn) => toMessage(toFilled(turn), model))],
    stream: setup.isStreamed,
    // Tells these calls apart in the list of generations.
    user: 'playground',
    ...own,
  };
}

/** Fields of the request that the set-up adds, in which there is nothing to correct. */
export function toRequestFields(setup: Setup): Readonly<Record<string, unknown>> {
  const { more, own } = readFields(setup);
  return { ...more, ...own };
}

const readFields = (setup: Setup) => ({
  more: setup.more.trim() === '' ? {} : (JSON.parse(setup.more) as object),
  own: { ...toParameters(setup), ...toTools(setup) },
});

function findFirstProblem(setup: Setup, turns: readonly Turn[]): string | undefined {
  const { problems: t } = playgroundMessages();
  const [first] = Object.entries(findProblems(setup));
  if (first !== undefined) return t.settings(first[0], first[1]);
  if (turns.length === 0) return t.noMessage;
  const lost = turns.flatMap((turn) => (turn.type === 'user' ? turn.attached.filter(({ url }) => url === '') : []))[0];
  return lost && t.lost(lost.name);
}

function toParameters(setup: Setup) {
  const { temperature, topP, maxTokens, seed, effort, providerSort, providerOnly, hasFallbacks } = setup;
  const only = providerOnly
    .split(',')
    .map((slug) => slug.trim())
    .filter((slug) => slug !== '');
  const provider = {
    ...(providerSort !== '' && { sort: providerSort as 'price' | 'throughput' | 'latency' }),
    ...(only.length > 0 && { only }),
    ...(!hasFallbacks && { allow_fallbacks: false }),
  };
  return {
    ...(temperature.trim() !== '' && { temperature: Number(temperature) }),
    ...(topP.trim() !== '' && { top_p: Number(topP) }),
    ...(maxTokens.trim() !== '' && { max_tokens: Number(maxTokens) }),
    ...(seed.trim() !== '' && { seed: Number(seed) }),
    ...(effort !== '' && { reasoning: { effort: effort as 'low' } }),
    ...(Object.keys(provider).length > 0 && { provider }),
  };
}

function toTools({ tools, format }: Setup): Partial<ChatCompletionRequest> {
  return {
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: 'function' as const,
        function: {
          name,
          ...(description !== '' && { description }),
          parameters: JSON.parse(schema.text) as Record<string, unknown>,
        },
      })),
    }),
    ...(format.type === 'json_object' && { response_format: { type: 'json_object' as const } }),
    ...(format.type === 'json_schema' && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: {
          name: format.name,
          strict: format.isStrict,
          schema: JSON.parse(format.schema.text) as Record<string, unknown>,
        },
      },
    }),
  };
}

const isMade = (modality: string): modality is 'text' | 'image' | 'audio' =>
  modality === 'text' || modality === 'image' || modality === 'audio';

/** Streamed audio comes as samples alone, a whole completion as a file. */
function toOutputs(outputs: Outputs | undefined, isStreamed: boolean) {
  const modalities = outputs?.architecture.output_modalities.filter(isMade);
  if (modalities === undefined || modalities.every((one) => one === 'text')) return {};
  if (!modalities.includes('audio')) return { modalities };
  const voice = outputs?.supported_voices?.[0] ?? 'alloy';
  return { modalities, audio: { voice, format: isStreamed ? 'pcm16' : 'mp3' } };
}

function toMessage(turn: Turn, model: string): ChatMessage[] {
  switch (turn.type) {
    case 'user':
      return [toUserMessage(turn)];
    case 'tool':
      return [{ role: 'tool', tool_call_id: turn.callId, content: turn.text }];
    case 'assistant':
      return toAssistantMessage(turn, model);
  }
}

function toUserMessage({ text, attached, kept }: UserTurn): ChatMessage {
  const parts = [...attached.map(toContentPart), ...(kept as ReturnType<typeof toContentPart>[])];
  if (parts.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts] };
}

/** A completion that failed before it had said anything is no part of the conversation. */
function toAssistantMessage(turn: AssistantTurn, model: string): ChatMessage[] {
  const { text, toolCalls, reasoningDetails, outcome } = turn;
  const images = turn.images.filter((url) => url !== '');
  if (text === '' && toolCalls.length === 0 && images.length === 0) return [];
  const isOwn = outcome?.model === model;
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: given },
        })),
      }),
      ...(isOwn && reasoningDetails.length > 0 && { reasoning_details: reasoningDetails as { type: string }[] }),
      ...(images.length > 0 && { images: images.map((url) => ({ type: 'image_url', image_url: { url } })) }),
    },
  ];
}
