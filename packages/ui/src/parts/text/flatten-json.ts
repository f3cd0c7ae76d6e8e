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

/** Value that can be open or closed. */
export interface JsonNode {
  readonly path: string;
  readonly depth: number;
  readonly size: number;
  /** Members or items of what it stands in; 1 for the root. */
  readonly siblings: number;
}

/** Lists the lines of a value, looking only into what is open. */
export function flattenJson(root: unknown, isOpen: (node: JsonNode) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  // A stack of its own, because a body may be nested deeper than calls can be.
  const stack: (Pick<JsonLine, 'path' | 'depth' | 'name' | 'value'> & { readonly siblings: number })[] = [
    { path: '$', depth: 0, name: null, value: root, siblings: 1 },
  ];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, depth, name, value, siblings } = node;
    const size = sizeOf(value);
    const open = size !== null && size > 0 && isOpen({ path, depth, size, siblings });
    lines.push({ path, depth, name, value, size, isOpen: open });
    // One by one: a spread of a very long list would not fit the call.
    if (open) for (const child of childrenOf(value, path, depth).toReversed()) stack.push(child);
  }
  return lines;
}

function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null;
}

function childrenOf(value: unknown, path: string, depth: number) {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => ({
      path: `${path}[${index}]`,
      depth: depth + 1,
      name: String(index),
      value: item,
      siblings: value.length,
    }));
  }
  const members = Object.entries(value ?? {});
  return members.map(([name, member]: [string, unknown]) => ({
    path: /^[a-z_$][\w$]*$/i.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`,
    depth: depth + 1,
    name,
    value: member,
    siblings: members.length,
  }));
}
