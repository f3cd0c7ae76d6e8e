import {
  type AttemptFacts,
  type GenerationFacts,
  type GenerationRecord,
  toAttemptFacts,
  toGenerationFacts,
} from '@model-gateway/core';

import type { SegmentName } from '../log/segment-name.ts';
import { type ContentReference, parseFactSource, parseGenerationText } from './generation-lines.ts';
import { createPackedTexts, type TextPlace, type TextSlab } from './packed-texts.ts';

/** Values that many generations share; they are stored once. */
export interface GenerationOrigin {
  readonly principalId: string;
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
  /** The day on which the generation began. */
  readonly day: string;
  readonly isByok: boolean;
}

/** Values that a later version of a generation may change. */
export interface EntryVersion extends GenerationOrigin {
  readonly costNanoUsd: number;
  /** The part of it that is a fee for the use of the caller's own key; absent for none. */
  readonly feeNanoUsd?: number | undefined;
  /** The generation as `toGenerationText` writes it, or the bytes of that. */
  readonly text: string | Buffer;
}

/** A generation that is added to the index. */
export interface NewEntry {
  readonly id: string;
  /** The segment of its first version; the generation is removed with that segment. */
  readonly segment: SegmentName;
  readonly version: EntryVersion;
  readonly content: ContentReference | null;
}

/** What the generations of a segment share. */
export interface SharedValues {
  /** Each text once, of those that come again and again: parsing makes a new string each time. */
  text<Text extends string | null>(text: Text): Text;
  origin(origin: GenerationOrigin): GenerationOrigin;
  /** Keeps the text of a record that was made in this process. */
  pack(text: string): TextPlace;
}

/** Creates an empty set of shared values. Those of a segment are released with it. */
export function createSharedValues(): SharedValues {
  const texts = new Map<string, string>();
  /** By principal: one, unless other values of the origin have changed. */
  const origins = new Map<string, GenerationOrigin[]>();
  const packed = createPackedTexts();
  return {
    pack: packed.add,
    text(text) {
      if (text === null) return text;
      const known = texts.get(text);
      if (known === undefined) texts.set(text, text);
      return (known ?? text) as typeof text;
    },
    origin({ principalId, userId, workspaceId, day, isByok }) {
      const known = origins.get(principalId) ?? [];
      const same = known.find(
        (each) =>
          each.day === day && each.userId === userId && each.workspaceId === workspaceId && each.isByok === isByok,
      );
      if (same !== undefined) return same;
      const added = { principalId, userId, workspaceId, day, isByok };
      origins.set(principalId, [...known, added]);
      return added;
    },
  };
}

/** No text can hold this: quotes within texts are escaped. */
const CREATED_AT = /"created_at":"([^"]+)"/;

const SESSION_ID = '"session_id":"';
/** No id of a session is written like this. */
const UNCLEAR = '"';

/** The session in the text of a record; `UNCLEAR` where labels of the caller have such a member, or it is escaped. */
function findSession(text: Buffer): string | null {
  const at = text.indexOf(SESSION_ID);
  if (at === -1) return null;
  const from = at + SESSION_ID.length;
  const to = text.indexOf('"', from);
  const session = text.toString('utf8', from, to);
  return session.includes('\\') || text.includes(SESSION_ID, to) ? UNCLEAR : session;
}

const NO_TEXT = Buffer.alloc(0);

/**
 * One generation in memory. Its record stays text, which is a tenth of it as objects: of what was read at start in the
 * bytes of the file (docs/decisions/0057), of what was recorded since packed with others (0123).
 */
export class GenerationEntry {
  readonly id: string;
  readonly segment: SegmentName;
  /** The place among the generations of its segment. */
  readonly row: number;
  origin: GenerationOrigin;
  costNanoUsd: number;
  feeNanoUsd: number;
  content: ContentReference | null;
  private text: Buffer | TextSlab = NO_TEXT;
  /** Where the record lies in `text`, in bytes. */
  private from = 0;
  private to = 0;
  private facts: GenerationFacts | undefined = undefined;
  private attempts: readonly AttemptFacts[] | undefined = undefined;
  /** What the text says of the session, once it was asked for; empty for none. */
  private session: string | undefined = undefined;
  private readonly shared: SharedValues;

  constructor({ id, segment, version, content }: NewEntry, row: number, shared: SharedValues) {
    this.id = id;
    this.segment = segment;
    this.row = row;
    this.content = content;
    this.shared = shared;
    this.origin = shared.origin(version);
    this.costNanoUsd = version.costNanoUsd;
    this.feeNanoUsd = version.feeNanoUsd ?? 0;
    this.keepText(version.text);
  }

  replace(version: EntryVersion): void {
    this.origin = this.shared.origin(version);
    this.costNanoUsd = version.costNanoUsd;
    this.feeNanoUsd = version.feeNanoUsd ?? 0;
    this.keepText(version.text);
    this.facts = undefined;
    this.attempts = undefined;
    this.session = undefined;
  }

  private keepText(text: string | Buffer): void {
    if (typeof text === 'string') ({ slab: this.text, from: this.from, to: this.to } = this.shared.pack(text));
    else [this.text, this.from, this.to] = [text, 0, text.length];
  }

  /** The record, parsed at every call: reading all records must not keep all of them in memory. */
  readRecord(): GenerationRecord {
    const { principalId, userId, workspaceId } = this.origin;
    const generation = parseGenerationText(this.readText(), { id: this.id, workspaceId });
    return { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd: this.costNanoUsd };
  }

  /** The record as `toGenerationText` has written it. */
  readText(): string {
    return this.bytes().toString('utf8', this.from, this.to);
  }

  /** The bytes in which the record lies, among others. */
  private bytes(): Buffer {
    return this.text instanceof Uint8Array ? this.text : this.text.bytes;
  }

  /** Tells without parsing the record that it is not of a session. */
  mayBeOf(sessionId: string): boolean {
    if (this.facts !== undefined) return (this.facts.sessionId ?? '') === sessionId;
    this.session ??= this.shared.text(findSession(this.bytes().subarray(this.from, this.to))) ?? '';
    return this.session === sessionId || this.session === UNCLEAR;
  }

  /**
   * When the generation began. It is read from the beginning of the text, without its facts: whoever drops a segment asks
   * this of all its records.
   */
  createdAtMs(): number {
    const [, createdAt] = CREATED_AT.exec(this.readText()) ?? [];
    return createdAt === undefined ? this.readFacts().createdAtMs : Date.parse(createdAt);
  }

  get hasFacts(): boolean {
    return this.facts !== undefined;
  }

  /** Values that filters read. Kept after the first read; the record, ten times as large, is not. */
  readFacts(): GenerationFacts {
    return (this.facts ??= this.findFacts());
  }

  /** Kept likewise, apart from the facts: they take half as much again, and the providers' past alone asks for them. */
  readAttempts(): readonly AttemptFacts[] {
    return (this.attempts ??= this.findAttempts());
  }

  private findFacts(): GenerationFacts {
    const { costNanoUsd, shared } = this;
    const { principalId, userId } = this.origin;
    const generation = parseFactSource(this.readText());
    const facts = toGenerationFacts({ generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd });
    return {
      ...facts,
      model: shared.text(facts.model),
      providerName: shared.text(facts.providerName),
      sessionId: shared.text(facts.sessionId),
      app: shared.text(facts.app),
      finishReason: shared.text(facts.finishReason),
      userAgent: shared.text(facts.userAgent),
      externalUser: shared.text(facts.externalUser),
    };
  }

  private findAttempts(): readonly AttemptFacts[] {
    const { shared } = this;
    return toAttemptFacts(parseFactSource(this.readText())).map((attempt) => ({
      ...attempt,
      providerName: shared.text(attempt.providerName),
      endpointId: shared.text(attempt.endpointId),
      model: shared.text(attempt.model),
    }));
  }
}
