// ONNX models with a fake library: its inputs, the vectors computed from its rows, and messages
// when it is missing or the model does not fit.
import { afterAll, expect, test } from 'vitest'
import { RealFileSystem } from '../../store/storage/index.ts'
import { ModelCore, type ModelReply } from './index.ts'
import type { LoadOnnx } from './model.ts'
import { loadOnnxRuntime, type OnnxRuntime, type OnnxTensor } from './onnx-runtime.ts'
import { type Files, ModelHome, TOKENIZER } from './test-models.ts'

const home = new ModelHome()
afterAll(() => home.remove())

const WIDTH = 3
const ALL = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']

type Played = {
  readonly inputNames?: readonly string[]
  readonly outputs?: (tokens: readonly number[]) => { readonly [name: string]: OnnxTensor }
}

const tensor = (
  dims: readonly number[],
  data: ArrayLike<unknown>,
  type = 'float32',
): OnnxTensor => ({
  dims,
  data,
  type,
})

/** Returns a row for each token: the token, its position, and one. */
const rowsOf = (tokens: readonly number[]) => ({
  pooler_output: tensor([1, WIDTH], new Float32Array(WIDTH)),
  last_hidden_state: tensor(
    [1, tokens.length, WIDTH],
    Float32Array.from(tokens.flatMap((token, at) => [token, at, 1])),
  ),
})

function fakeRuntime({ inputNames = ALL, outputs = rowsOf }: Played = {}) {
  const received: { readonly [name: string]: readonly number[] }[] = []
  const released: string[] = []
  class Tensor implements OnnxTensor {
    readonly type: string
    readonly data: BigInt64Array
    readonly dims: readonly number[]
    constructor(type: 'int64', data: BigInt64Array, dims: readonly number[]) {
      this.type = type
      this.data = data
      this.dims = dims
    }
  }
  const runtime: OnnxRuntime = {
    Tensor,
    InferenceSession: {
      create: async (model) => {
        const name = Buffer.from(model).toString()
        if (name === 'damaged') throw new Error('no protobuf')
        return {
          inputNames,
          outputNames: [],
          run: async (inputs) => {
            const numbers = Object.entries(inputs).map(
              ([input, { data }]) => [input, Array.from(data as BigInt64Array, Number)] as const,
            )
            received.push(Object.fromEntries(numbers))
            return outputs(numbers[0]![1])
          },
          release: async () => void released.push(name),
        }
      },
    },
  }
  return { runtime, received, released, load: async () => runtime }
}

const onnx = (files: Files = {}): Files => ({
  'config.json': { model_type: 'distilbert', max_position_embeddings: 4, vocab_size: 7 },
  'tokenizer.json': TOKENIZER,
  'onnx/model.onnx': Buffer.from('the model'),
  ...files,
})

const core = (load: LoadOnnx): ModelCore => new ModelCore(new RealFileSystem(home.path), load)
const ask = (
  to: ModelCore,
  model: string,
  text: string | null,
  pooling: 'useModel' | 'forceCls' = 'useModel',
): Promise<ModelReply> => to.answer({ job: 1, name: { model, revision: null, pooling }, text })

test('rows of tokens are pooled like those of other models', async () => {
  const { load, received } = fakeRuntime()
  const models = core(load)
  const model = home.install(onnx())
  expect(await ask(models, model, null)).toMatchObject({ kind: 'dimensions', dimensions: WIDTH })
  // [CLS] red car [SEP]: 2, 4, 5, 3
  const vector = Float32Array.of(3.5, 1.5, 1)
  expect(await ask(models, model, 'red car')).toMatchObject({ kind: 'vector', vector })
  expect(received.at(-1)).toEqual({
    input_ids: [2, 4, 5, 3],
    attention_mask: [1, 1, 1, 1],
    token_type_ids: [0, 0, 0, 0],
    position_ids: [0, 1, 2, 3],
  })
  const first = Float32Array.of(2, 0, 1)
  expect(await ask(models, model, 'red car', 'forceCls')).toMatchObject({ vector: first })
})

test('texts are cut at the last position; some kinds count positions from the padding token on', async () => {
  const { load, received } = fakeRuntime({ inputNames: ['input_ids'] })
  const tokensOf = async (config: object): Promise<number> => {
    await ask(core(load), home.install(onnx({ 'config.json': config })), 'red red red red red red')
    return received.at(-1)!['input_ids']!.length
  }
  expect(await tokensOf({ max_position_embeddings: 4 })).toBe(4)
  const kind = { model_type: 'mpnet', pad_token_id: 1 }
  expect(await tokensOf({ ...kind, max_position_embeddings: 4 })).toBe(2)
  expect(await tokensOf({})).toBe(8)
})

test('models that do not fit are reported', async () => {
  const faultOf = async (files: Files, playing: Played = {}): Promise<string> => {
    const reply = await ask(core(fakeRuntime(playing).load), home.install(onnx(files)), 'red')
    return reply.kind === 'fault' ? reply.message : JSON.stringify(reply)
  }
  expect(await faultOf({ 'onnx/model.onnx': Buffer.from('damaged') })).toBe(
    '`model.onnx` cannot be used: no protobuf',
  )
  expect(await faultOf({}, { inputNames: ['input_ids', 'pixels'] })).toContain(
    'asks for `pixels`, which is not known here',
  )
  const pooled = () => ({ sentence_embedding: tensor([1, WIDTH], new Float32Array(WIDTH)) })
  expect(await faultOf({}, { outputs: pooled })).toContain('makes no row of each token')
  const half = (tokens: readonly number[]) => ({
    rows: tensor([1, tokens.length, 1], new Uint16Array(tokens.length), 'float16'),
  })
  expect(await faultOf({}, { outputs: half })).toContain('are float16, not 32-bit floats')
  const failing = () => {
    throw new Error('out of memory')
  }
  expect(await faultOf({}, { outputs: failing })).toBe('`model.onnx` failed: out of memory')
})

test('weights of supported architectures are preferred to ONNX', async () => {
  const never = () => Promise.reject(new Error('the library is not needed'))
  const both = home.install(onnx({ 'model.safetensors': Buffer.alloc(4) }))
  expect(await ask(core(never), both, 'red')).toMatchObject({
    kind: 'fault',
    message: expect.stringContaining('`distilbert` do not run here'),
  })
  await expect(loadOnnxRuntime()).rejects.toThrow(
    /`onnxruntime-node`, which is not installed: `npm install/,
  )
})

test('a model that leaves the cache is released', async () => {
  const { load, released } = fakeRuntime()
  const models = core(load)
  for (let n = 0; n < 5; n++) {
    await ask(models, home.install(onnx({ 'onnx/model.onnx': Buffer.from(`model ${n}`) })), 'red')
  }
  expect(released).toEqual(['model 0'])
})
