import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gateway that `vite` and `vite preview` stand in front of. */
const target = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8855';
// The gateway answers only to names and pages it knows, so it is shown its own.
const proxy = Object.fromEntries(
  ['/api', '/admin', '/health', '/ready'].map((path) => [
    path,
    { target, changeOrigin: true, headers: { origin: target } },
  ]),
);

// Markdown's reader of names such as &nbsp;. Its form for browsers sets innerHTML, which the content security policy
// refuses; this one has a table.
const characterNames = fileURLToPath(
  new URL('../../node_modules/decode-named-character-reference/index.js', import.meta.url),
);

export default defineConfig({
  // Relative, because one bundle is served at /ui/ and at the root of the desktop's own scheme.
  base: './',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { 'decode-named-character-reference': characterNames } },
  build: {
    target: 'es2023',
    // The polyfill is for browsers older than the target.
    modulePreload: { polyfill: false },
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // One file each: as shared parts of many screens they would come in dozens, and every request has its price.
        codeSplitting: {
          groups: [
            { name: 'icons', test: /node_modules\/lucide-react\// },
            { name: 'router', test: /node_modules\/@tanstack\/(react-)?(router|history|store)/ },
          ],
        },
      },
    },
  },
  server: { proxy },
  preview: { proxy },
});
