import { appendAll } from '../../foundation/append-all.ts';
import { isObject, objectsOf, type Unchecked } from '../../foundation/parse.ts';
import type { ChatChunkChoice, ChatDelta } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { readArguments } from '../kit/read-arguments.ts';
import { createSegmentWriter } from '../kit/write-segments.ts';
import { GEMINI_FORMAT, sealSignature } from './signatures.ts';
import type { ToolNames } from './tool-names.ts';

/** A part of a content, as it is sent. */
export type Part = Readonly<Record<string, unknown>>;

/** Receives a completion part by part. */
export interface PartSink {
  /** Text, and nothing else. */
  text(text: string): void;
  part(part: Part): void;
  logprobs(result: object): void;
}

export interface PartWriter {
  write(choice: ChatChunkChoice): void;
  end(): void;
  /** The sources of the completion that came with its text. */
  annotations(): readonly unknown[];
}

interface PartOptions {
  readonly names: ToolNames;
  /** Thoughts are part of a completion only where they are asked for; signatures always are. */
  readonly showsThoughts: boolean;
}

/** Writes the deltas of one completion as parts. A call is one part, because its arguments are an object here. */
export function createPartWriter(sink: PartSink, { names, showsThoughts }: PartOptions): PartWriter {
  const signatures = createSignatures();
  const annotations: unknown[] = [];
  let call = { id: '', name: '', json: '' };
  const ignore = (): void => undefined;

  const sign = (part: Part, signature: string | undefined): Part =>
    signature === undefined ? part : { ...part, thoughtSignature: signature };
  const writeSignatures = (): void => {
    for (const signature of signatures.takeOfTexts()) sink.part({ text: '', thoughtSignature: signature });
  };
  const think = (detail: ReasoningDetail): void => {
    const text = textOf(detail['text']) || textOf(detail['summary']);
    const signature = signatures.note(detail);
    if (showsThoughts && (text !== '' || signature !== undefined)) sink.part(sign({ text, thought: true }, signature));
    else if (signature !== undefined) signatures.addOfText(signature);
  };

  const writer = createSegmentWriter({
    startReasoning: ignore,
    reasoning: think,
    endReasoning: ignore,
    startText: ignore,
    text(text) {
      if (!signatures.hasOfTexts()) return sink.text(text);
      const [first, ...others] = signatures.takeOfTexts();
      sink.part(sign({ text }, first));
      for (const signature of others) sink.part({ text: '', thoughtSignature: signature });
    },
    endText: ignore,
    startCall(id, name) {
      call = { id, name, json: '' };
    },
    arguments: (json) => void (call.json += json),
    endCall() {
      const { id, name, json } = call;
      const signature = signatures.takeOfCall(id);
      if (signature !== undefined) writeSignatures();
      const functionCall = { id, name: names.toOwn(name), args: readArguments(json) };
      sink.part(sign({ functionCall }, signature ?? signatures.takeOfTexts()[0]));
    },
  });

  let images = 0;
  const writeMedia = ({ images: added, audio }: ChatDelta): void => {
    for (const image of added ?? []) {
      const part = toImagePart(image);
      if (part !== undefined) sink.part(sign(part, signatures.takeById(`image_${images}`)));
      images += 1;
    }
    const { data, transcript } = (audio ?? {}) as { readonly data?: unknown; readonly transcript?: unknown };
    if (textOf(transcript) !== '') sink.text(textOf(transcript));
    if (textOf(data) !== '') sink.part({ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } });
  };

  return {
    write({ delta, logprobs }) {
      writer.write(delta);
      if (delta.images !== undefined || delta.audio !== undefined) writeMedia(delta);
      if (delta.annotations !== undefined) appendAll(annotations, delta.annotations);
      const result = logprobs === undefined ? undefined : toLogprobsResult(logprobs);
      if (result !== undefined) sink.logprobs(result);
    },
    end() {
      writer.end();
      signatures.end();
      writeSignatures();
    },
    annotations: () => annotations,
  };
}

/** Thought signatures of one completion, each to be sent with its part. */
interface Signatures {
  /** Notes what a piece of reasoning needs to be read back; returns the signature of a thought of Google's. */
  note(detail: ReasoningDetail): string | undefined;
  addOfText(signature: string): void;
  hasOfTexts(): boolean;
  takeOfTexts(): readonly string[];
  takeById(id: string): string | undefined;
  /** That of the call, or else the reasoning of another provider before it. */
  takeOfCall(id: string): string | undefined;
  /** Reasoning of another provider that no call follows goes with the text, where it is signed. */
  end(): void;
}

/**
 * Clients drop thoughts from what they send back, and keep the signatures of calls. So the reasoning of other providers,
 * which they want back with their calls, is sealed in the signature of the call that follows it.
 */
function createSignatures(): Signatures {
  const byId = new Map<string, string>();
  let ofTexts: string[] = [];
  let foreign: ReasoningDetail[] = [];
  const seal = (): string | undefined => {
    const sealed = foreign.length === 0 ? undefined : sealSignature(foreign);
    foreign = [];
    return sealed;
  };
  const takeById = (id: string): string | undefined => {
    const signature = byId.get(id);
    byId.delete(id);
    return signature;
  };
  return {
    note(detail) {
      const { type, format, id, data, signature } = detail;
      if (format !== GEMINI_FORMAT) {
        addDetail(foreign, detail);
        return undefined;
      }
      if (type !== 'reasoning.encrypted') return textOf(signature) || undefined;
      if (typeof id === 'string') byId.set(id, textOf(data));
      else if (textOf(data) !== '') ofTexts.push(textOf(data));
      return undefined;
    },
    addOfText: (signature) => void ofTexts.push(signature),
    hasOfTexts: () => ofTexts.length > 0,
    takeOfTexts() {
      const taken = ofTexts;
      if (taken.length > 0) ofTexts = [];
      return taken;
    },
    takeById,
    takeOfCall: (id) => takeById(id) ?? seal(),
    end() {
      appendAll(ofTexts, byId.values());
      byId.clear();
      const isSigned = foreign.some(
        ({ type, signature }) => type === 'reasoning.encrypted' || textOf(signature) !== '',
      );
      const sealed = isSigned ? seal() : undefined;
      if (sealed !== undefined) ofTexts.push(sealed);
    },
  };
}

/** Pieces of one text add up, so that thousands of them do not each repeat what is the same. */
function addDetail(details: ReasoningDetail[], detail: ReasoningDetail): void {
  const last = details.at(-1);
  const field = detail.type === 'reasoning.summary' ? 'summary' : 'text';
  const isSame =
    last?.type === detail.type && last['index'] === detail['index'] && detail.type !== 'reasoning.encrypted';
  if (!isSame) {
    details.push({ ...detail });
    return;
  }
  const before = textOf(last[field]);
  for (const [name, value] of Object.entries(detail)) if (value !== undefined && value !== null) last[name] = value;
  last[field] = before + textOf(detail[field]);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toImagePart(image: unknown): Part | undefined {
  const { image_url: address } = (image ?? {}) as { readonly image_url?: { readonly url?: unknown } };
  const url = textOf(address?.url);
  const { mimeType, data } = /^data:(?<mimeType>[^;,]+);base64,(?<data>.*)$/s.exec(url)?.groups ?? {};
  if (mimeType !== undefined) return { inlineData: { mimeType, data } };
  return url === '' ? undefined : { fileData: { fileUri: url } };
}

const toLogprob = ({ token, logprob }: Unchecked): object => ({ token, logProbability: logprob });

/** Undefined for none. Upstream's list is not checked before. */
function toLogprobsResult(given: unknown): object | undefined {
  const tokens = objectsOf(isObject(given) ? given['content'] : undefined);
  if (tokens.length === 0) return undefined;
  return {
    chosenCandidates: tokens.map(toLogprob),
    topCandidates: tokens.map(({ top_logprobs: top }) => ({ candidates: objectsOf(top).map(toLogprob) })),
  };
}
