import { LIES, LINKS } from './hostile-cases/links.ts';
import { CLOBBERING, HTML, SVG_AND_MATHML } from './hostile-cases/markup.ts';
import { STRUCTURES } from './hostile-cases/structures.ts';
import { CHARACTERS, JSON_TEXTS, ORDERS } from './hostile-cases/texts.ts';

/** A text that a model, a caller or a provider may write to harm its reader. */
export interface HostileCase {
  readonly family: string;
  /** `links 17`; unique. */
  readonly name: string;
  readonly text: string;
}

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  html: HTML,
  'svg and mathml': SVG_AND_MATHML,
  'clobbering names': CLOBBERING,
  links: LINKS,
  'links that lie': LIES,
  characters: CHARACTERS,
  orders: ORDERS,
  json: JSON_TEXTS,
  structures: STRUCTURES,
};

/** All of them, by family. */
export const HOSTILE_CASES: readonly HostileCase[] = Object.entries(FAMILIES).flatMap(([family, texts]) =>
  texts.map((text, at) => ({ family, name: `${family} ${at + 1}`, text })),
);

/** Those short enough for a name: of a key, a model, a provider, a guardrail, a destination, a file. */
export const HOSTILE_NAMES: readonly string[] = HOSTILE_CASES.map(({ text }) => text).filter(
  (text) => text.length <= 150,
);
