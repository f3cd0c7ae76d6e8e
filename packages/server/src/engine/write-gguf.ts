import { writeFileSync } from 'node:fs';

/*
 * Writes GGUF, version 3, the format in which llama.cpp takes models:
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 * Little endian: head, keys, infos of tensors, and their numbers, each tensor at a multiple of 32 bytes.
 */

export type Value =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'f32s' | 'i32s'; readonly value: readonly number[] };

export interface Tensor {
  readonly name: string;
  /** Sizes, from the one that changes fastest. */
  readonly shape: readonly number[];
  /** Floats of 16 bits, as `toHalf` makes them, or of 32. */
  readonly data: Uint16Array | Float32Array;
}

const ALIGNMENT = 32;
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const F32 = 0;
const F16 = 1;

/** `keys` by their full names, as in `llama.block_count`. */
export function writeGguf(path: string, keys: Readonly<Record<string, Value>>, tensors: readonly Tensor[]): void {
  const head: Uint8Array[] = [
    text4('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(Object.keys(keys).length),
    ...Object.entries(keys).flatMap(([name, value]) => [string(name), ...toBytes(value)]),
  ];
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    const type = data instanceof Float32Array ? F32 : F16;
    head.push(string(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset));
    offset = alignUp(offset + data.byteLength);
  }
  const parts = [...padded(Buffer.concat(head))];
  for (const { data } of tensors) parts.push(...padded(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)));
  writeFileSync(path, Buffer.concat(parts));
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** A number as the bits of a 16-bit float: Node.js 22 has no array of them. For numbers up to 65,504; tiny ones are zero. */
export function toHalf(value: number): number {
  float[0] = value;
  const [whole = 0] = bits;
  const sign = (whole >>> 16) & 0x80_00;
  const exponent = ((whole >>> 23) & 0xff) - 112;
  return exponent <= 0 ? sign : sign | ((exponent << 10) + (((whole & 0x7f_ff_ff) + 0x10_00) >>> 13));
}

function toBytes(given: Value): Uint8Array[] {
  switch (given.type) {
    case 'u32':
      return [u32(TYPE.u32), u32(given.value)];
    case 'f32':
      return [u32(TYPE.f32), f32(given.value)];
    case 'bool':
      return [u32(TYPE.bool), Uint8Array.of(Number(given.value))];
    case 'string':
      return [u32(TYPE.string), string(given.value)];
    case 'strings':
      return [...arrayHead(TYPE.string, given.value.length), ...given.value.map(string)];
    case 'f32s':
      return [...arrayHead(TYPE.f32, given.value.length), ...given.value.map(f32)];
    default:
      return [...arrayHead(TYPE.i32, given.value.length), ...given.value.map(u32)];
  }
}

const arrayHead = (type: number, count: number): Uint8Array[] => [u32(TYPE.array), u32(type), u64(count)];

const alignUp = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
const padded = (bytes: Uint8Array): Uint8Array[] => [bytes, new Uint8Array(alignUp(bytes.length) - bytes.length)];

const text4 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

function string(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
