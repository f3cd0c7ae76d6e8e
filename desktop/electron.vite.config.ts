import { defineConfig } from 'electron-vite';

/** Everything is bundled, so that nothing of `node_modules` is packaged; the targets are those of the oldest runtime. */
const bundled = (input: Record<string, string>, outDir: string) => ({
  build: {
    target: 'node20.18',
    sourcemap: false,
    minify: false as const,
    externalizeDeps: false,
    outDir,
    rolldownOptions: {
      input,
      output: { format: 'cjs' as const, entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
    },
  },
});

export default defineConfig({
  main: bundled({ index: 'src/main/index.ts', gateway: 'src/gateway/index.ts' }, 'out/main'),
  preload: bundled({ index: 'src/preload/index.ts' }, 'out/preload'),
});
