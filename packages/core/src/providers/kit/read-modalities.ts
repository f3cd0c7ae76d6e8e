import { isObject, type Unchecked } from '../../foundation/parse.ts';
import type { DiscoveredModel } from '../provider.ts';

type Modalities = Pick<DiscoveredModel, 'inputModalities' | 'outputModalities'>;

/** The words of providers' lists for what a model is for, by the output that it has here. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  text: ['chat', 'language', 'code', 'llm', 'vlm', 'completion', 'completions', 'generate', 'text-generation'],
  embeddings: ['embedding', 'embeddings', 'embed', 'text-embedding', 'feature-extraction'],
  rerank: ['rerank', 'reranker', 'text-ranking'],
  image: ['image', 'image-generation', 'text-to-image'],
  video: ['video', 'video-generation', 'text-to-video'],
  speech: ['tts', 'speech', 'audio', 'text-to-speech'],
  transcription: ['transcribe', 'transcription', 'stt', 'asr', 'speech-to-text', 'automatic-speech-recognition'],
  moderation: ['moderation'],
};

const OUTPUTS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([output, words]) => words.map((word) => [word, output] as const)),
);

/**
 * What a model of a provider's list reads and writes, where the list says so: by `architecture` as gateways have it, by a
 * word (`type`, `task`), or by several (`endpoints`, `capabilities`). Nothing for any other list: names tell too little.
 */
export function readModalities(fields: Unchecked): Modalities {
  const { architecture } = fields;
  if (isObject(architecture)) {
    const inputs = textsOf(architecture['input_modalities']);
    const outputs = textsOf(architecture['output_modalities']);
    if (outputs.length > 0) return { outputModalities: outputs, ...(inputs.length > 0 && { inputModalities: inputs }) };
  }
  const words = [fields['type'], fields['task'], fields['endpoints'], fields['capabilities']].flatMap(textsOf);
  const outputs = [...new Set(words.flatMap((word) => OUTPUTS.get(word.toLowerCase().replaceAll('_', '-')) ?? []))];
  if (outputs.length === 0) return {};
  // What chats is a chat model, whatever else it can be called for.
  return { outputModalities: outputs.includes('text') ? ['text'] : outputs };
}

/** The texts of a list, a single one, or the names of what is true. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, isSo]) => (isSo === true ? [name] : []));
}
