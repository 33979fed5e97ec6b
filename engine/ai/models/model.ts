// A local model: text → tokens → rows → vector.
import type { Tokenizer } from '@huggingface/tokenizers'
import type { FileSystem } from '../../store/storage/index.ts'
import { Bert } from './bert.ts'
import { type ModelConfig, readConfig } from './config.ts'
import type { Encoder } from './encoder.ts'
import { findModel, type ModelFiles, readJson } from './hub.ts'
import { TEXT_LENGTH_MAX } from './limits.ts'
import { ModelFault } from './model-fault.ts'
import { ModernBert } from './modern-bert.ts'
import { openOnnx } from './onnx.ts'
import type { OnnxRuntime } from './onnx-runtime.ts'
import { pool, poolingOf } from './pooling.ts'
import { Weights } from './safetensors.ts'

export type Model = {
  readonly dimensions: number
  /** @throws ModelFault */
  embed(text: string, pooling: 'useModel' | 'forceCls' | 'forceMean'): Promise<Float32Array>
  close(): Promise<void>
}

const WEIGHTS = 'model.safetensors'
/** Paths of the ONNX form of a model. */
const ONNX = ['model.onnx', 'onnx/model.onnx']

/** Loads the library for ONNX models. @throws ModelFault */
export type LoadOnnx = () => Promise<OnnxRuntime>

/** Reads a model. `home`: the folder that holds `hub`. @throws ModelFault, StorageError */
export async function loadModel(
  home: FileSystem,
  name: string,
  revision: string | null,
  loadOnnx: LoadOnnx,
): Promise<Model> {
  const files = findModel(home, name, revision)
  const encoder = await readEncoder(files, loadOnnx)
  const tokenizer = await readTokenizer(files)
  const poolingFile = readJson(files, '1_Pooling/config.json')
  return {
    dimensions: encoder.width,
    async embed(text, pooling) {
      const tokens = tokensOf(tokenizer, text, encoder.tokensMax, encoder.vocabulary)
      const rows = await encoder.encode(tokens)
      return pool(rows, tokens.length, encoder.width, poolingOf(poolingFile, pooling))
    },
    close: async () => encoder.close?.(),
  }
}

async function readEncoder(files: ModelFiles, loadOnnx: LoadOnnx): Promise<Encoder> {
  const { fs, folder } = files
  const config = readJson(files, 'config.json')
  const onnx = ONNX.map((name) => `${folder}/${name}`).find((path) => fs.exists(path))
  if (onnx === undefined || fs.exists(`${folder}/${WEIGHTS}`)) {
    return encoderOf(readConfig(config), readWeights(files))
  }
  const runtime = await loadOnnx()
  return openOnnx(runtime, fs.map(onnx, fs.size(onnx)), config)
}

function encoderOf(config: ModelConfig, weights: Weights): Encoder {
  if (config.kind === 'modernbert') return new ModernBert(weights, config)
  return new Bert(weights, config, config.kind === 'xlm-roberta')
}

function readWeights({ fs, folder }: ModelFiles): Weights {
  const path = `${folder}/${WEIGHTS}`
  if (!fs.exists(path)) {
    throw new ModelFault(
      `\`${WEIGHTS}\` and \`${ONNX[0]}\` are missing: weights in other forms are not read here`,
    )
  }
  return new Weights(fs.map(path, fs.size(path)))
}

async function readTokenizer(files: ModelFiles): Promise<Tokenizer> {
  const json = readJson(files, 'tokenizer.json')
  if (typeof json !== 'object' || json === null) throw new ModelFault('`tokenizer.json` is missing')
  const settings = readJson(files, 'tokenizer_config.json') ?? {}
  const library = await import('@huggingface/tokenizers')
  try {
    return new library.Tokenizer(json, settings as object)
  } catch (error) {
    // Any error means that the file is not a tokenizer of this format.
    throw new ModelFault(`\`tokenizer.json\` cannot be used: ${(error as Error).message}`)
  }
}

/** Returns as many tokens as the model reads, at least one; a closing token may be cut off. */
function tokensOf(
  tokenizer: Tokenizer,
  text: string,
  tokensMax: number,
  vocabulary: number,
): Uint32Array {
  const { ids } = tokenizer.encode(text.slice(0, TEXT_LENGTH_MAX))
  const tokens = Uint32Array.from(ids.slice(0, tokensMax))
  const unknown = tokens.find((token) => token >= vocabulary)
  if (unknown !== undefined) {
    throw new ModelFault(`the tokenizer knows the token ${unknown}, the model does not`)
  }
  return tokens.length === 0 ? new Uint32Array(1) : tokens
}
