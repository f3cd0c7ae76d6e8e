import type { Program } from './place.ts';
import { claudeCode } from './programs/claude-code.ts';
import { codex, codexWithCode, codexWithPatches } from './programs/codex.ts';
import { geminiCli } from './programs/gemini-cli.ts';
import { opencode, opencodeElsewise } from './programs/opencode.ts';
import { qwenCode, qwenCodeElsewise } from './programs/qwen-code.ts';

export const PROGRAMS: readonly Program[] = [claudeCode, codex, opencode, qwenCode, geminiCli];

/** The same programs, set up in the other ways that they have. */
export const VARIANTS: readonly Program[] = [codexWithPatches, codexWithCode, ...opencodeElsewise, ...qwenCodeElsewise];
