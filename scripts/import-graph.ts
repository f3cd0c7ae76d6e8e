import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parseSync, Visitor } from 'rolldown/utils';

import { readEntryPoints } from './read-entry-points.ts';

/** One import of a file: what it names, and the file behind that name, where it is one of ours. */
export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Relative to the root of the repository; undefined for an external package or a built-in module. */
  readonly to: string | undefined;
  /**
   * Whether it names types alone, so that nothing is loaded for it at run time. `import { type Name }` does load: the
   * compiler keeps such an import as `import {}` (`verbatimModuleSyntax`).
   */
  readonly isType: boolean;
}

const SOURCES = ['packages/*/src/**/*.{ts,tsx}', 'packages/core/testing/**/*.ts', 'desktop/src/**/*.{ts,tsx}'];
const isProduct = (file: string): boolean => !/\.test\.tsx?$|\.d\.ts$/.test(file);

/**
 * Reads every import of the product's sources: of values and of types, re-exports, late imports, and types that are
 * imported where they are named. Tests are left out. Paths are relative to `root` and have forward slashes.
 */
export function readImports(root: string): { readonly files: readonly string[]; readonly imports: readonly Import[] } {
  const files = globSync(SOURCES, { cwd: root }).map(toPosix).filter(isProduct).toSorted();
  const known = new Set(files);
  const entries = readEntryPoints(root);
  const imports = files.flatMap((from) =>
    parseImports(from, readFileSync(path.join(root, from), 'utf8')).map(({ specifier, isType }) => {
      const target = specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(from), specifier)
        : entries.get(specifier);
      return { from, specifier, to: target !== undefined && known.has(target) ? target : undefined, isType };
    }),
  );
  return { files, imports };
}

interface ImportNode {
  readonly type: string;
  readonly source?: { readonly type: string; readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
}

/** Reads the paths that a file imports, each once; a path counts as a type import when all its imports are types. */
export function parseImports(file: string, source: string): readonly Pick<Import, 'specifier' | 'isType'>[] {
  const { program } = parseSync(file, source);
  const found = new Map<string, boolean>();
  const note = ({ type, source: named, importKind, exportKind }: ImportNode): void => {
    if (typeof named?.value !== 'string') return;
    const isType = type === 'TSImportType' || importKind === 'type' || exportKind === 'type';
    found.set(named.value, isType && found.get(named.value) !== false);
  };
  new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: note,
  }).visit(program);
  return [...found].map(([specifier, isType]) => ({ specifier, isType }));
}

/**
 * Groups of files, or of whatever else the edges join, that import one another in a circle: each sorted, smallest
 * first.
 */
export function findCircles(edges: Iterable<readonly [from: string, to: string]>): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  // Tarjan's algorithm: a group is complete when nothing in it reaches further back than its first member.
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    let low = index;
    for (const target of next.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(node, low);
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) circles.push(group.toSorted());
    }
    return low;
  };
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return circles.toSorted((one, other) => one.length - other.length);
}

const toPosix = (file: string): string => file.replaceAll(path.sep, '/');
