import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { memo, type ReactNode, useMemo } from 'react';

const marker = createLowlight({
  bash,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  powershell,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
marker.registerAlias({ bash: ['shell', 'console', 'shellsession'], json: ['jsonl'], xml: ['vue'] });

/** The colour of each kind of word. JSON looks as its tree does: names, texts, numbers. */
const LOOKS: Readonly<Record<string, string>> = {
  ...toLooks('text-code-word', 'keyword built_in type selector-tag tag template-tag'),
  ...toLooks('text-accent', 'attr attribute title name section property variable selector-class selector-id'),
  ...toLooks('text-good', 'string regexp addition char link template-variable'),
  ...toLooks('text-caution', 'number literal symbol bullet params-number'),
  ...toLooks('text-ink-faint', 'comment quote meta doctag'),
  ...toLooks('text-bad', 'deletion'),
};

function toLooks(look: string, kinds: string): Record<string, string> {
  return Object.fromEntries(kinds.split(' ').map((kind) => [`hljs-${kind}`, look]));
}

/** What the marker makes: elements with a kind, and texts. */
interface Marked {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Marked[];
}

/** Code in the colours of its words; as it is where its language is not known. */
export const MarkedCode = memo(function MarkedCode({ text, language }: { text: string; language: string }) {
  return useMemo(() => mark(text, language), [text, language]);
});

function mark(text: string, language: string): ReactNode {
  const name = language.toLowerCase();
  if (!marker.registered(name)) return text;
  try {
    return toNodes(marker.highlight(name, text).children);
  } catch {
    // The marker gives up on code that nobody writes, and a model may have written it.
    return text;
  }
}

/** What has no look of its own is part of what surrounds it, so a key is the place in the whole. */
const toNodes = (marked: readonly Marked[], place = ''): ReactNode[] =>
  marked.flatMap(({ type, value, properties, children = [] }, at) => {
    if (type === 'text') return [value];
    const look = toLook(properties?.className);
    if (look === undefined) return toNodes(children, `${place}${at}.`);
    return (
      <span key={`${place}${at}`} className={look}>
        {toNodes(children)}
      </span>
    );
  });

const toLook = (kinds: unknown): string | undefined => (Array.isArray(kinds) ? LOOKS[String(kinds[0])] : undefined);
