/** One line of a JSON tree as it is shown. */
export interface JsonLine {
  /** `$.messages[0].content`; unique in the tree. */
  readonly path: string;
  readonly depth: number;
  /** The member's name or the item's number; null for the root. */
  readonly name: string | null;
  readonly value: unknown;
  /** Members or items of an object or list; null for everything else. */
  readonly size: number | null;
  readonly isOpen: boolean;
}

/** Lists the lines of a value, looking only into what is open. `isOpen` decides that by path and depth. */
export function flattenJson(root: unknown, isOpen: (path: string, depth: number) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  // A stack of its own, because a body may be nested deeper than calls can be.
  const stack: { path: string; depth: number; name: string | null; value: unknown }[] = [
    { path: '$', depth: 0, name: null, value: root },
  ];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, depth, value } = node;
    const children = childrenOf(value, path, depth);
    const open = children !== null && children.length > 0 && isOpen(path, depth);
    lines.push({ ...node, size: children?.length ?? null, isOpen: open });
    if (open) stack.push(...children.toReversed());
  }
  return lines;
}

function childrenOf(value: unknown, path: string, depth: number) {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => ({
      path: `${path}[${index}]`,
      depth: depth + 1,
      name: String(index),
      value: item,
    }));
  }
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).map(([name, member]: [string, unknown]) => ({
    path: /^[a-z_$][\w$]*$/i.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`,
    depth: depth + 1,
    name,
    value: member,
  }));
}
