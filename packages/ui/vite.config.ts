import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The gateway that `vite` and `vite preview` stand in front of. */
const target = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8855';
// The gateway responds only to names and pages it knows, so it is shown its own.
const proxy = Object.fromEntries(
  ['/api', '/admin', '/health', '/ready'].map((path) => [
    path,
    { target, changeOrigin: true, headers: { origin: target } },
  ]),
);

/**
 * Markdown's reader of names such as &nbsp; has a form for browsers, which sets innerHTML: the content security policy
 * refuses that. Its other form has a table.
 */
const readNamesByTable: Plugin = {
  name: 'read-names-by-table',
  enforce: 'pre',
  async resolveId(id, importer) {
    if (id !== 'decode-named-character-reference') return null;
    const found = await this.resolve(id, importer, { skipSelf: true });
    return found && { ...found, id: found.id.replace(/index\.dom\.js$/, 'index.js') };
  },
};

/** Every screen needs what the overview is made of, so that the page asks for it at once and not after its first script. */
const preloadOverview: Plugin = {
  name: 'preload-overview',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const files = Object.values(bundle).filter((file) => file.type === 'chunk' && file.name === 'overview');
      return files.map(({ fileName }) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
        injectTo: 'head',
      }));
    },
  },
};

const ICONS = new URL('../esm/lucide-react.mjs', import.meta.resolve('lucide-react'));
/** The file of each icon, by its names. */
const iconFiles = new Map(
  readFileSync(ICONS, 'utf8')
    .matchAll(/^export \{([^}]*)\} from '\.\/(icons\/[\w-]+\.mjs)';$/gm)
    .flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, fileURLToPath(new URL(file, ICONS))]),
    ),
);

/**
 * Has each file import its own icons. Through the list of all of them every icon seems to be needed by every screen, so
 * that the first screen would load those of all others.
 */
const importSingleIcons: Plugin = {
  name: 'import-single-icons',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: { id: /\/src\/.*\.tsx?$/, code: "from 'lucide-react'" },
    handler: (code) =>
      code.replace(/^import \{([^}]*)\} from 'lucide-react';/m, (_, list: string) => {
        const names = list.split(',').map((name) => name.trim());
        return names
          .map((name) => [name, iconFiles.get(name)] as const)
          .map(([name, file]) =>
            file === undefined
              ? `import { ${name} } from 'lucide-react';`
              : `import ${name} from ${JSON.stringify(file.replaceAll('\\', '/'))};`,
          )
          .join('');
      }),
  },
};

/** What the screens with large forms alone need. */
const OF_FORMS = /react-hook-form|form\/(?:fields|use-change-form)|keys\/key-(?:form|changes)/;
/** Markdown, which few texts need. */
const OF_MARKDOWN =
  /node_modules\/(?:micromark|mdast-|hast|unist-|unified|vfile|remark|rehype|react-markdown|property-information|character-|decode-named|html-url|comma-sep|space-sep|style-to)|parts\/text\/markdown/;
/** Marking the words of code. */
const OF_CODE = /node_modules\/(?:lowlight|highlight)|parts\/text\/marked-code/;
interface Graph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/** Creates a test for whether a file, and so what it shows, needs a module before it is drawn. */
function createIsNeededBy(file: RegExp): (id: string, graph: Graph) => boolean {
  const known = new Map<string, boolean>();
  const isNeeded = (id: string, graph: Graph): boolean => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // Until it is known: importers may form a circle.
    known.set(id, false);
    const importers = graph.getModuleInfo(id)?.importers ?? [];
    const isOne = file.test(id) || importers.some((importer) => isNeeded(importer, graph));
    known.set(id, isOne);
    return isOne;
  };
  return isNeeded;
}

const nameIf = (isOne: boolean, name: string): string | null => (isOne ? name : null);
const isOfOverview = createIsNeededBy(/screens\/overview\/overview-screen\.tsx$/);
const isOfFirstRun = createIsNeededBy(/screens\/overview\/first-run\.tsx$/);

/** The addresses of some eighty logos: only screens that show logos load them. */
const OF_LOGOS = /parts\/logo/;

/** What several screens share, and load when they need it. */
const LATE = [OF_MARKDOWN, OF_CODE, OF_FORMS, OF_LOGOS];

export default defineConfig({
  // Relative, because one bundle is served at /ui/ and at the root of the desktop's own scheme.
  base: './',
  plugins: [importSingleIcons, react(), tailwindcss(), readNamesByTable, preloadOverview],
  build: {
    target: 'es2023',
    // The polyfill is for browsers older than the target.
    modulePreload: { polyfill: false },
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    // In KB as written; the tests hold the first script to what is sent of it.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // Few files, because every request has its price: what the page begins with, and what several screens share.
        codeSplitting: {
          groups: [
            // A group takes in what its modules need, too, unless one before it has it.
            { name: 'first', tags: ['$initial'], priority: 5 },
            { name: (id, graph) => nameIf(isOfOverview(id, graph), 'overview'), debugName: 'overview', priority: 4 },
            { name: (id, graph) => nameIf(isOfFirstRun(id, graph), 'first-run'), debugName: 'first run', priority: 3 },
            { name: 'shared', minShareCount: 2, test: (id) => !LATE.some((pattern) => pattern.test(id)), priority: 2 },
            { name: 'markdown', test: OF_MARKDOWN, priority: 1 },
            { name: 'code', test: OF_CODE },
            { name: 'forms', test: OF_FORMS },
            { name: 'logos', test: OF_LOGOS },
          ],
        },
      },
    },
  },
  server: { proxy },
  preview: { proxy },
});
