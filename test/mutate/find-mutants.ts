import { parseSync } from 'rolldown/utils';

/** One place of a source, and what is written there instead. */
export interface Mutant {
  readonly kind: MutantKind;
  /** One-based. */
  readonly line: number;
  /** Offsets into the source, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export type MutantKind =
  | 'equality'
  | 'comparison'
  | 'logic'
  | 'boolean'
  | 'arithmetic'
  | 'return'
  | 'condition'
  | 'statement'
  | 'optional call'
  | 'quantifier'
  | 'spread';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** What each operator becomes. A comparison moves its bound, or turns round. */
const OPERATORS: Readonly<Record<string, readonly [MutantKind, ...string[]]>> = {
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '==': ['equality', '!='],
  '!=': ['equality', '=='],
  '<': ['comparison', '<=', '>='],
  '<=': ['comparison', '<', '>'],
  '>': ['comparison', '>=', '<='],
  '>=': ['comparison', '>', '<'],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '??': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
};

/** Expressions around which only a type is written. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSInstantiationExpression']);
const WRITES_LOG = /^(?:\w+\.)*(?:logger|log|console)\??\.\w+$/;

/**
 * Finds every mutant of a TypeScript file, in the order of the source. Types, imports, log calls, thrown errors' words
 * and `as const` stay as they are. Throws when the source cannot be parsed, and leaves out what cannot be parsed once
 * it is mutated.
 */
export function findMutants(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const { program, errors, comments } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const add = (kind: MutantKind, { start, end }: Pick<Node, 'start' | 'end'>, replacement: string): void => {
    found.push({ kind, line: lineOf(source, start), start, end, replacement });
  };
  // An operator is looked for between its sides, where a comment may name another. Offsets stay as they are.
  const code = comments.reduce(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    source,
  );
  const visit = (node: Node): void => {
    if (isLeftAlone(node, code)) return;
    for (const [kind, place, replacement] of mutate(node, code)) add(kind, place, replacement);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program as unknown as Node);
  return found
    .filter((mutant) => parseSync(file, applyMutant(source, mutant)).errors.length === 0)
    .toSorted((one, other) => one.start - other.start || one.end - other.end);
}

export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** The whole lines that a mutant changes, and what it makes of them. */
export function toLines(source: string, mutant: Mutant): { readonly was: string; readonly becomes: string } {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const lineEnd = source.indexOf('\n', mutant.end);
  const to = lineEnd === -1 ? source.length : lineEnd;
  const becomes = source.slice(from, mutant.start) + mutant.replacement + source.slice(mutant.end, to);
  return { was: source.slice(from, to), becomes };
}

/** Shows the lines that a mutant changes, as `diff` does. */
export function toDiff(source: string, mutant: Mutant): string {
  const { was, becomes } = toLines(source, mutant);
  const prefix = (sign: string, text: string): string[] => text.split('\n').map((line) => `${sign} ${line}`);
  return [...prefix('-', was), ...prefix('+', becomes)].join('\n');
}

type Change = readonly [MutantKind, Pick<Node, 'start' | 'end'>, string];

function mutate(node: Node, source: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return mutateOperator(node, source);
    case 'Literal':
      return typeof node['value'] === 'boolean' ? [['boolean', node, String(!node['value'])]] : [];
    case 'ReturnStatement':
      return isNode(node['argument']) && !saysNothing(node['argument'])
        ? [['return', node['argument'], 'undefined']]
        : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      return isNode(node['test'])
        ? [
            ['condition', node['test'], 'false'],
            ['condition', node['test'], 'true'],
          ]
        : [];
    case 'ExpressionStatement':
      return isCall(node['expression']) ? [['statement', node, ';']] : [];
    case 'CallExpression':
      return mutateCall(node, source);
    case 'SpreadElement':
      return removeSpread(node, source);
    default:
      return [];
  }
}

function mutateOperator(node: Node, source: string): Change[] {
  const { left, right, operator } = node;
  if (!isNode(left) || !isNode(right) || typeof operator !== 'string') return [];
  const [kind, ...others] = OPERATORS[operator] ?? [];
  // A text with a minus is no number, and says nothing about a sum.
  if (kind === undefined || (kind === 'arithmetic' && [left, right].some(isText))) return [];
  const start = source.indexOf(operator, left.end);
  if (start === -1 || start >= right.start) return [];
  return others.map((other) => [kind, { start, end: start + operator.length }, other] as const);
}

function mutateCall(node: Node, source: string): Change[] {
  const { callee } = node;
  if (!isNode(callee)) return [];
  if (node['optional'] === true) return [['optional call', node, 'undefined']];
  const { property } = callee;
  if (callee.type !== 'MemberExpression' || callee['computed'] === true || !isNode(property)) return [];
  const name = source.slice(property.start, property.end);
  if (name !== 'some' && name !== 'every') return [];
  return [['quantifier', property, name === 'some' ? 'every' : 'some']];
}

/** With the comma behind it, as the list may not begin with one. */
function removeSpread(node: Node, source: string): Change[] {
  const comma = /^\s*,/.exec(source.slice(node.end));
  return [['spread', { start: node.start, end: node.end + (comma?.[0].length ?? 0) }, '']];
}

function isLeftAlone(node: Node, source: string): boolean {
  const { type } = node;
  if (type.startsWith('TS') && !TYPED.has(type)) return true;
  if (type === 'ImportDeclaration' || type === 'ImportExpression' || type === 'ExportAllDeclaration') return true;
  if (type === 'NewExpression') return isNode(node['callee']) && textOf(node['callee'], source).endsWith('Error');
  if (type === 'TSAsExpression') return /\bas const$/.test(textOf(node, source));
  const call = type === 'ExpressionStatement' ? node['expression'] : node;
  if (!isNode(call) || call.type !== 'CallExpression' || !isNode(call['callee'])) return false;
  return WRITES_LOG.test(textOf(call['callee'], source));
}

const textOf = ({ start, end }: Node, source: string): string => source.slice(start, end);

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node['value'] === 'string') ||
  (node.type === 'BinaryExpression' && [node['left'], node['right']].some((side) => isNode(side) && isText(side)));

/** Whether a caller could hardly tell a value from `undefined`; for `false`, `true` is tried. */
const saysNothing = (node: Node): boolean =>
  (node.type === 'Identifier' && node['name'] === 'undefined') || (node.type === 'Literal' && node['value'] === false);

function isCall(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === 'AwaitExpression' || value.type === 'UnaryExpression') return isCall(value['argument']);
  return value.type === 'CallExpression' || (value.type === 'ChainExpression' && isCall(value['expression']));
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

const lineOf = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;
