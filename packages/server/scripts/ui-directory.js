// Stands for `@model-gateway/ui` in the bundle, which is beside `dist`.
import { fileURLToPath } from 'node:url';

export const uiDirectory = fileURLToPath(new URL('../dist/ui-bundle/', import.meta.url));
