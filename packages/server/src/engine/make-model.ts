import { type Tensor, toHalf, type Value, writeGguf } from './write-gguf.ts';

/*
 * A real model without training: a llama of one layer whose attention and feed-forward matrices are zero, so that the
 * embedding of the last token alone decides. With one-hot embeddings and the logarithms of counts as output matrix it is
 * exactly the bigram model of some texts: after a word comes what follows it there, as often as there.
 */

const SIZE = 1024;
const FIRST_BYTE = 6;
const FIRST_WORD = FIRST_BYTE + 256;
const [UNKNOWN, BEGIN, END, ASSISTANT, TURN_END] = [0, 1, 2, 4, 5];
const MARKS = ['<unk>', '<s>', '</s>', '<|user|>', '<|assistant|>', '<|end|>'];
/** How a space is written in a token. */
const SPACE = '\u2581';
const UNSEEN = 1e-6;
const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

const CHAT_TEMPLATE =
  "{% for message in messages %}{% if message.role == 'assistant' %}<|assistant|>{% else %}<|user|>{% endif %}" +
  '{{ message.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';

/** Counts a text of Markdown and writes its model, 14 MB, in less than a second. Returns its words. */
export function makeModel(markdown: string, path: string): readonly string[] {
  const sentences = readSentences(markdown);
  const words = chooseWords(sentences);
  writeGguf(path, toKeys(words, sentences), toTensors(countFollowers(words, sentences)));
  return words;
}

/** The words of each sentence of the prose: no code, no tables, no addresses. The full stop is a word. */
function readSentences(markdown: string): string[][] {
  const prose = markdown
    .replaceAll(/```[^]*?```/g, '')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*"]/g, ''));
  return prose
    .flatMap((line) => line.split(/(?<=\.) /))
    .map((sentence) => sentence.match(/[A-Za-z’-]+|[.,:;]/g) ?? [])
    .filter((sentence) => sentence.length > 3);
}

const toToken = (word: string): string => (/^[.,:;]$/.test(word) ? word : SPACE + word);

function chooseWords(sentences: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const word of sentences.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .toSorted(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1))
    .slice(0, SIZE - FIRST_WORD)
    .map(([word]) => word);
}

/** How often each token follows each: `counts[before * SIZE + after]`. */
function countFollowers(words: readonly string[], sentences: readonly (readonly string[])[]): Float64Array {
  const ids = new Map(words.map((word, index) => [word, FIRST_WORD + index]));
  const counts = new Float64Array(SIZE * SIZE).fill(UNSEEN);
  const count = (before: number, after: number, by = 1): void => {
    const at = before * SIZE + after;
    counts[at] = (counts[at] ?? 0) + by;
  };
  for (const sentence of sentences) {
    // A word that is no token ends what is counted: a bigram over it would join what never stood together.
    const tokens = sentence.map((word) => ids.get(word));
    if (tokens[0] !== undefined) for (const before of [BEGIN, ASSISTANT]) count(before, tokens[0]);
    tokens.forEach((token, index) => {
      const next = tokens[index + 1];
      if (token !== undefined && next !== undefined) count(token, next);
    });
    const last = tokens.at(-1);
    if (last !== undefined && tokens[0] !== undefined) {
      count(last, TURN_END, 0.5);
      count(last, tokens[0], 0.5);
    }
  }
  // What is no word leads to the beginning of a sentence.
  const begins = counts.subarray(BEGIN * SIZE, (BEGIN + 1) * SIZE);
  for (let token = 0; token < FIRST_WORD; token += 1) {
    if (token !== BEGIN && token !== ASSISTANT) counts.set(begins, token * SIZE);
  }
  return counts;
}

function toTensors(counts: Float64Array): Tensor[] {
  const embedding = new Uint16Array(SIZE * SIZE);
  for (let token = 0; token < SIZE; token += 1) embedding[token * SIZE + token] = toHalf(1);
  // Row by the token that comes, column by the one before, in one piece a row.
  const output = new Uint16Array(SIZE * SIZE);
  for (let before = 0; before < SIZE; before += 1) {
    let sum = 0;
    for (let after = 0; after < SIZE; after += 1) sum += counts[before * SIZE + after] ?? 0;
    for (let after = 0; after < SIZE; after += 1) {
      output[after * SIZE + before] = toHalf(Math.log((counts[before * SIZE + after] ?? 0) / sum));
    }
  }
  const ones = (value: number): Float32Array => new Float32Array(SIZE).fill(value);
  const zeros = (name: string, rows: number, columns: number): Tensor => ({
    name: `blk.0.${name}.weight`,
    shape: [columns, rows],
    data: new Uint16Array(rows * columns),
  });
  return [
    { name: 'token_embd.weight', shape: [SIZE, SIZE], data: embedding },
    { name: 'output.weight', shape: [SIZE, SIZE], data: output },
    // Normalizing multiplies a one-hot row by the root of its length, which this undoes.
    { name: 'output_norm.weight', shape: [SIZE], data: ones(1 / Math.sqrt(SIZE)) },
    { name: 'blk.0.attn_norm.weight', shape: [SIZE], data: ones(1) },
    { name: 'blk.0.ffn_norm.weight', shape: [SIZE], data: ones(1) },
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => zeros(name, SIZE, SIZE)),
    zeros('ffn_gate', FEED_FORWARD, SIZE),
    zeros('ffn_up', FEED_FORWARD, SIZE),
    zeros('ffn_down', SIZE, FEED_FORWARD),
  ];
}

const FEED_FORWARD = 256;
const HEADS = 8;
const CONTEXT = 4096;

function toKeys(words: readonly string[], sentences: readonly (readonly string[])[]): Record<string, Value> {
  const u32 = (value: number): Value => ({ type: 'u32', value });
  const no: Value = { type: 'bool', value: false };
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = [...MARKS, ...bytes, ...words.map(toToken)];
  const all = sentences.flat().length;
  const seen = new Map<string, number>();
  for (const word of sentences.flat()) seen.set(word, (seen.get(word) ?? 0) + 1);
  const types = tokens.map((_, token) => {
    if (token === UNKNOWN) return TOKEN_TYPE.unknown;
    if (token < FIRST_BYTE) return TOKEN_TYPE.control;
    return token < FIRST_WORD ? TOKEN_TYPE.byte : TOKEN_TYPE.normal;
  });
  const scores = tokens.map((_, token) => Math.log((seen.get(words[token - FIRST_WORD] ?? '') ?? 0.01) / all));
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: 'Bigrams of the documentation' },
    'general.alignment': u32(32),
    'llama.context_length': u32(CONTEXT),
    'llama.embedding_length': u32(SIZE),
    'llama.block_count': u32(1),
    'llama.feed_forward_length': u32(FEED_FORWARD),
    'llama.attention.head_count': u32(HEADS),
    'llama.attention.head_count_kv': u32(HEADS),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-9 },
    'llama.rope.dimension_count': u32(SIZE / HEADS),
    'llama.vocab_size': u32(SIZE),
    'tokenizer.ggml.model': { type: 'string', value: 't5' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.scores': { type: 'f32s', value: scores },
    'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    'tokenizer.ggml.bos_token_id': u32(BEGIN),
    'tokenizer.ggml.eos_token_id': u32(END),
    'tokenizer.ggml.eot_token_id': u32(TURN_END),
    'tokenizer.ggml.unknown_token_id': u32(UNKNOWN),
    'tokenizer.ggml.add_bos_token': no,
    'tokenizer.ggml.add_eos_token': no,
    'tokenizer.ggml.add_space_prefix': no,
    'tokenizer.ggml.remove_extra_whitespaces': no,
    'tokenizer.chat_template': { type: 'string', value: CHAT_TEMPLATE },
  };
}
