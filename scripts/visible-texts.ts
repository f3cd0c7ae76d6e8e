import { parseSync } from 'oxc-parser';

/** A text of the UI that stands in a component, and not among the messages of its screen. */
export interface VisibleText {
  /** One-based. */
  readonly line: number;
  readonly text: string;
}

/** Names that are the same in every language, and names of keys. */
const NAMES = new Set(
  'Model Gateway|OpenAI|OpenRouter|Anthropic|Markdown|JSON|Langfuse|Enter|Escape|Home|End|Tab|Delete|Backspace|Error|Infinity'.split(
    '|',
  ),
);
const KEY = /^(?:Arrow|Page|Shift|Control|Meta|Alt)[A-Z+]?\w*$/;
const CAPITALISED = /^\p{Lu}\p{Ll}/u;
/** A list of class names or of codes has none of these. */
const SENTENCE =
  /(?:^|\s)(?:a|an|and|are|be|by|for|in|is|it|no|not|of|the|this|to|was|were|with|you|your)(?:\s|$|[.,;:])/;
const HAS_WORD = /\p{L}{2,}/u;
/** Attributes and functions whose texts no user sees. */
const UNSEEN = new Set(['className', 'classNames', 'queryKey', 'd', 'viewBox', 'Error', 'TypeError', 'createMessages']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Finds texts of a component's source that a user would see. Throws when the source cannot be parsed. */
export function findVisibleTexts(file: string, source: string): VisibleText[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: VisibleText[] = [];
  const add = (node: Node, text: string): void => {
    found.push({ line: source.slice(0, node.start).split('\n').length, text: text.trim().replaceAll(/\s+/g, ' ') });
  };
  const visit = (node: Node): void => {
    if (isUnseen(node)) return;
    if (node.type === 'JSXText') {
      const text = String(node['value']);
      if (HAS_WORD.test(text) && !NAMES.has(text.trim())) add(node, text);
    } else if (node.type === 'Literal' && typeof node['value'] === 'string') {
      if (isWording(node['value'])) add(node, node['value']);
    } else if (node.type === 'TemplateElement') {
      const { raw } = node['value'] as { readonly raw: string };
      if (isWording(raw)) add(node, raw);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program as unknown as Node);
  return found;
}

const isWording = (text: string): boolean =>
  (CAPITALISED.test(text) && !NAMES.has(text.trim()) && !KEY.test(text)) || SENTENCE.test(text);

function isUnseen(node: Node): boolean {
  const { type } = node;
  if (type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(type)) {
    return true;
  }
  if (type === 'ImportDeclaration' || type === 'ImportExpression' || type === 'ExportAllDeclaration') return true;
  if (type === 'JSXAttribute') return UNSEEN.has(nameOf(node['name']));
  if (type === 'CallExpression' || type === 'NewExpression') return UNSEEN.has(nameOf(node['callee']));
  return type === 'Property' && UNSEEN.has(nameOf(node['key']));
}

const nameOf = (node: unknown): string => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}
