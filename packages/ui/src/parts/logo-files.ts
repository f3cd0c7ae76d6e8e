import ai2 from '@lobehub/icons-static-svg/icons/ai2.svg?no-inline';
import ai21 from '@lobehub/icons-static-svg/icons/ai21.svg?no-inline';
import aistudio from '@lobehub/icons-static-svg/icons/aistudio.svg?no-inline';
import alibabacloud from '@lobehub/icons-static-svg/icons/alibabacloud.svg?no-inline';
import anthropic from '@lobehub/icons-static-svg/icons/anthropic.svg?no-inline';
import arcee from '@lobehub/icons-static-svg/icons/arcee.svg?no-inline';
import aws from '@lobehub/icons-static-svg/icons/aws.svg?no-inline';
import azureai from '@lobehub/icons-static-svg/icons/azureai.svg?no-inline';
import baidu from '@lobehub/icons-static-svg/icons/baidu.svg?no-inline';
import baseten from '@lobehub/icons-static-svg/icons/baseten.svg?no-inline';
import bedrock from '@lobehub/icons-static-svg/icons/bedrock.svg?no-inline';
import bfl from '@lobehub/icons-static-svg/icons/bfl.svg?no-inline';
import bytedance from '@lobehub/icons-static-svg/icons/bytedance.svg?no-inline';
import cerebras from '@lobehub/icons-static-svg/icons/cerebras.svg?no-inline';
import claudecode from '@lobehub/icons-static-svg/icons/claudecode.svg?no-inline';
import cline from '@lobehub/icons-static-svg/icons/cline.svg?no-inline';
import cloudflare from '@lobehub/icons-static-svg/icons/cloudflare.svg?no-inline';
import codex from '@lobehub/icons-static-svg/icons/codex.svg?no-inline';
import cohere from '@lobehub/icons-static-svg/icons/cohere.svg?no-inline';
import cursor from '@lobehub/icons-static-svg/icons/cursor.svg?no-inline';
import deepinfra from '@lobehub/icons-static-svg/icons/deepinfra.svg?no-inline';
import deepseek from '@lobehub/icons-static-svg/icons/deepseek.svg?no-inline';
import elevenlabs from '@lobehub/icons-static-svg/icons/elevenlabs.svg?no-inline';
import fal from '@lobehub/icons-static-svg/icons/fal.svg?no-inline';
import featherless from '@lobehub/icons-static-svg/icons/featherless.svg?no-inline';
import fireworks from '@lobehub/icons-static-svg/icons/fireworks.svg?no-inline';
import friendli from '@lobehub/icons-static-svg/icons/friendli.svg?no-inline';
import gemini from '@lobehub/icons-static-svg/icons/gemini.svg?no-inline';
import github from '@lobehub/icons-static-svg/icons/github.svg?no-inline';
import githubcopilot from '@lobehub/icons-static-svg/icons/githubcopilot.svg?no-inline';
import google from '@lobehub/icons-static-svg/icons/google.svg?no-inline';
import goose from '@lobehub/icons-static-svg/icons/goose.svg?no-inline';
import grok from '@lobehub/icons-static-svg/icons/grok.svg?no-inline';
import groq from '@lobehub/icons-static-svg/icons/groq.svg?no-inline';
import huggingface from '@lobehub/icons-static-svg/icons/huggingface.svg?no-inline';
import hyperbolic from '@lobehub/icons-static-svg/icons/hyperbolic.svg?no-inline';
import ibm from '@lobehub/icons-static-svg/icons/ibm.svg?no-inline';
import inception from '@lobehub/icons-static-svg/icons/inception.svg?no-inline';
import inflection from '@lobehub/icons-static-svg/icons/inflection.svg?no-inline';
import jina from '@lobehub/icons-static-svg/icons/jina.svg?no-inline';
import kilocode from '@lobehub/icons-static-svg/icons/kilocode.svg?no-inline';
import lambda from '@lobehub/icons-static-svg/icons/lambda.svg?no-inline';
import langchain from '@lobehub/icons-static-svg/icons/langchain.svg?no-inline';
import liquid from '@lobehub/icons-static-svg/icons/liquid.svg?no-inline';
import lmstudio from '@lobehub/icons-static-svg/icons/lmstudio.svg?no-inline';
import meta from '@lobehub/icons-static-svg/icons/meta.svg?no-inline';
import microsoft from '@lobehub/icons-static-svg/icons/microsoft.svg?no-inline';
import minimax from '@lobehub/icons-static-svg/icons/minimax.svg?no-inline';
import mistral from '@lobehub/icons-static-svg/icons/mistral.svg?no-inline';
import moonshot from '@lobehub/icons-static-svg/icons/moonshot.svg?no-inline';
import nebius from '@lobehub/icons-static-svg/icons/nebius.svg?no-inline';
import nousresearch from '@lobehub/icons-static-svg/icons/nousresearch.svg?no-inline';
import nova from '@lobehub/icons-static-svg/icons/nova.svg?no-inline';
import novita from '@lobehub/icons-static-svg/icons/novita.svg?no-inline';
import nvidia from '@lobehub/icons-static-svg/icons/nvidia.svg?no-inline';
import ollama from '@lobehub/icons-static-svg/icons/ollama.svg?no-inline';
import openai from '@lobehub/icons-static-svg/icons/openai.svg?no-inline';
import opencode from '@lobehub/icons-static-svg/icons/opencode.svg?no-inline';
import openrouter from '@lobehub/icons-static-svg/icons/openrouter.svg?no-inline';
import openwebui from '@lobehub/icons-static-svg/icons/openwebui.svg?no-inline';
import parasail from '@lobehub/icons-static-svg/icons/parasail.svg?no-inline';
import perplexity from '@lobehub/icons-static-svg/icons/perplexity.svg?no-inline';
import qwen from '@lobehub/icons-static-svg/icons/qwen.svg?no-inline';
import replicate from '@lobehub/icons-static-svg/icons/replicate.svg?no-inline';
import roocode from '@lobehub/icons-static-svg/icons/roocode.svg?no-inline';
import sambanova from '@lobehub/icons-static-svg/icons/sambanova.svg?no-inline';
import siliconcloud from '@lobehub/icons-static-svg/icons/siliconcloud.svg?no-inline';
import stability from '@lobehub/icons-static-svg/icons/stability.svg?no-inline';
import stepfun from '@lobehub/icons-static-svg/icons/stepfun.svg?no-inline';
import tencent from '@lobehub/icons-static-svg/icons/tencent.svg?no-inline';
import together from '@lobehub/icons-static-svg/icons/together.svg?no-inline';
import upstage from '@lobehub/icons-static-svg/icons/upstage.svg?no-inline';
import vercel from '@lobehub/icons-static-svg/icons/vercel.svg?no-inline';
import vertexai from '@lobehub/icons-static-svg/icons/vertexai.svg?no-inline';
import vllm from '@lobehub/icons-static-svg/icons/vllm.svg?no-inline';
import voyage from '@lobehub/icons-static-svg/icons/voyage.svg?no-inline';
import xai from '@lobehub/icons-static-svg/icons/xai.svg?no-inline';
import xiaomimimo from '@lobehub/icons-static-svg/icons/xiaomimimo.svg?no-inline';
import yi from '@lobehub/icons-static-svg/icons/yi.svg?no-inline';
import zai from '@lobehub/icons-static-svg/icons/zai.svg?no-inline';

/** The addresses of monochrome logos, by slugs of providers, authors of models and ids of tools. */
export const LOGO_FILES: Readonly<Record<string, string>> = {
  '01-ai': yi,
  'ai-sdk': vercel,
  ai2,
  ai21,
  alibaba: alibabacloud,
  allenai: ai2,
  amazon: nova,
  'amazon-bedrock': bedrock,
  anthropic,
  arcee,
  'arcee-ai': arcee,
  aws,
  azure: azureai,
  baidu,
  baseten,
  bedrock,
  'black-forest-labs': bfl,
  bytedance,
  'bytedance-seed': bytedance,
  cerebras,
  'claude-code': claudecode,
  'copilot-cli': githubcopilot,
  cline,
  cloudflare,
  codex,
  cohere,
  cursor,
  deepinfra,
  deepseek,
  fal,
  elevenlabs,
  featherless,
  fireworks,
  'fireworks-ai': fireworks,
  friendli,
  gemini,
  'gemini-cli': gemini,
  github,
  google,
  'google-ai-studio': aistudio,
  'google-vertex': vertexai,
  goose,
  grok,
  groq,
  'hugging-face': huggingface,
  huggingface,
  hyperbolic,
  ibm,
  'ibm-granite': ibm,
  inception,
  inflection,
  jina,
  'kilo-code': kilocode,
  kilocode,
  lambda,
  langchain,
  liquid,
  lmstudio,
  meta,
  'meta-llama': meta,
  microsoft,
  minimax,
  mistral,
  mistralai: mistral,
  moonshot,
  moonshotai: moonshot,
  nebius,
  nous: nousresearch,
  nousresearch,
  novita,
  nvidia,
  ollama,
  'open-webui': openwebui,
  openai,
  opencode,
  openrouter,
  parasail,
  perplexity,
  qwen,
  'qwen-code': qwen,
  replicate,
  'roo-code': roocode,
  roocode,
  sambanova,
  siliconflow: siliconcloud,
  stability,
  stabilityai: stability,
  stepfun,
  'stepfun-ai': stepfun,
  tencent,
  thudm: zai,
  together,
  'together-ai': together,
  togetherai: together,
  upstage,
  vercel,
  vertex: vertexai,
  vllm,
  voyage,
  vscode: githubcopilot,
  'x-ai': xai,
  xai,
  xiaomi: xiaomimimo,
  yi,
  'z-ai': zai,
  zai,
  zhipu: zai,
};
