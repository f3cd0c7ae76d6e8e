// Writes the table of docs/roles.md from the table that decides requests: node scripts/write-roles.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type Permission, PERMISSIONS } from '../packages/core/src/api/permissions.ts';
import { ROUTES_BY_TAG } from '../packages/core/src/api/routes.ts';

const ROLES = ['owner', 'administrator', 'billing', 'developer', 'viewer'] as const;
const BEGIN = '<!-- table: node scripts/write-roles.ts -->';
const END = '<!-- end of table -->';

const toCells = (permission: Permission): string[] => [
  ...ROLES.map((role) => (permission[role] === 'none' ? '–' : permission[role])),
  permission.workspaceAdministrator ? 'workspace' : '–',
];

/** The table as Markdown: a heading for each resource, a row for each operation. */
export function toRolesTable(): string {
  const sections = Object.entries(ROUTES_BY_TAG).flatMap(([tag, routes]) => {
    const rows = routes.flatMap(({ operationId, method, path }) => {
      const permission = PERMISSIONS[operationId];
      if (permission === undefined) return [];
      return [`| \`${operationId}\` | \`${method} ${path}\` | ${toCells(permission).join(' | ')} |`];
    });
    if (rows.length === 0) return [];
    const head = `| Operation | Route | ${ROLES.map((role) => role[0]?.toUpperCase() + role.slice(1)).join(' | ')} | Administrator of a workspace |`;
    return [`### ${tag}\n\n${head}\n|${' --- |'.repeat(ROLES.length + 3)}\n${rows.join('\n')}`];
  });
  return sections.join('\n\n');
}

/** A page with the present table in the place of what is between its marks. */
export function withRolesTable(page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${toRolesTable()}\n\n${END}${after}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../docs/roles.md', import.meta.url));
  writeFileSync(file, withRolesTable(readFileSync(file, 'utf8')));
}
