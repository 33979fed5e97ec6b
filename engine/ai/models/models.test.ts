// Local models of a few values, generated here: the vectors they compute, and refusals.
import { afterAll, expect, test } from 'vitest'
import { RealFileSystem } from '../../store/storage/index.ts'
import { ModelCore, type ModelReply } from './index.ts'
import { ModelFault } from './model-fault.ts'
import { type Files, ModelHome, TOKENIZER, WORDS } from './test-models.ts'

const home = new ModelHome()
afterAll(() => home.remove())
const install = (files: Files): string => home.install(files)

type Tensors = { readonly [name: string]: { readonly shape: number[]; readonly values: number[] } }

const WIDTH = 4
const INNER = 6

/** Returns numbers between -0.5 and 0.5 that follow from a seed. */
function tensor(seed: number, ...shape: number[]) {
  let state = seed * 2654435761
  const count = shape.reduce((product, n) => product * n, 1)
  const values = Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  })
  return { shape, values }
}

function safetensors(tensors: Tensors, dtype: 'F32' | 'BF16' = 'F32'): Buffer {
  let at = 0
  const table: { [name: string]: unknown } = {}
  const parts: Buffer[] = []
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const floats = new Uint32Array(Float32Array.from(values).buffer)
    const part =
      dtype === 'F32'
        ? Buffer.from(floats.buffer)
        : Buffer.from(Uint16Array.from(floats, (bits) => bits >>> 16).buffer)
    table[name] = { dtype, shape, data_offsets: [at, (at += part.length)] }
    parts.push(part)
  }
  const head = Buffer.from(JSON.stringify(table))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(head.length))
  return Buffer.concat([length, head, ...parts])
}

const MEASURES = {
  hidden_size: WIDTH,
  intermediate_size: INNER,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  vocab_size: WORDS.length,
  hidden_act: 'gelu',
}

function bertTensors(prefix: string, positions: number, types: number): Tensors {
  const named: [string, number[]][] = [
    ['embeddings.word_embeddings.weight', [WORDS.length, WIDTH]],
    ['embeddings.position_embeddings.weight', [positions, WIDTH]],
    ['embeddings.token_type_embeddings.weight', [types, WIDTH]],
    ['embeddings.LayerNorm.weight', [WIDTH]],
    ['embeddings.LayerNorm.bias', [WIDTH]],
  ]
  for (const layer of ['encoder.layer.0', 'encoder.layer.1']) {
    for (const part of ['self.query', 'self.key', 'self.value', 'output.dense']) {
      named.push([`${layer}.attention.${part}.weight`, [WIDTH, WIDTH]])
      named.push([`${layer}.attention.${part}.bias`, [WIDTH]])
    }
    for (const norm of ['attention.output.LayerNorm', 'output.LayerNorm']) {
      named.push([`${layer}.${norm}.weight`, [WIDTH]], [`${layer}.${norm}.bias`, [WIDTH]])
    }
    named.push([`${layer}.intermediate.dense.weight`, [INNER, WIDTH]])
    named.push([`${layer}.intermediate.dense.bias`, [INNER]])
    named.push([`${layer}.output.dense.weight`, [WIDTH, INNER]])
    named.push([`${layer}.output.dense.bias`, [WIDTH]])
  }
  return Object.fromEntries(
    named.map(([name, shape], i) => [`${prefix}${name}`, tensor(i + 1, ...shape)]),
  )
}

const bert = (files: Files = {}): Files => ({
  'config.json': {
    ...MEASURES,
    model_type: 'bert',
    max_position_embeddings: 8,
    type_vocab_size: 2,
  },
  'tokenizer.json': TOKENIZER,
  'model.safetensors': safetensors(bertTensors('', 8, 2)),
  ...files,
})

type Pooling = 'useModel' | 'forceCls' | 'forceMean'
function ask(
  model: string,
  text: string | null,
  pooling: Pooling = 'useModel',
  revision: string | null = null,
): Promise<ModelReply> {
  const core = new ModelCore(new RealFileSystem(home.path))
  return core.answer({ job: 1, name: { model, revision, pooling }, text })
}
async function vector(model: string, text: string, pooling?: Pooling): Promise<number[]> {
  const reply = await ask(model, text, pooling)
  if (reply.kind !== 'vector') throw new Error(JSON.stringify(reply))
  return [...reply.vector]
}
const faultOf = async (files: Files, text: string | null = 'red'): Promise<string> => {
  const reply = await ask(install(files), text)
  return reply.kind === 'fault' ? reply.message : JSON.stringify(reply)
}
const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 4))

test('a text has the same vector each time, another text a different one', async () => {
  const model = install(bert())
  const red = await vector(model, 'red car')
  expect(red).toHaveLength(WIDTH)
  expect(await vector(model, 'RED  car')).toEqual(red)
  expect(await vector(model, 'red sea')).not.toEqual(close(red))
  expect(await ask(model, null)).toMatchObject({ kind: 'dimensions', dimensions: WIDTH })
})

test('weights of half the width give nearly the same vectors', async () => {
  const half = { 'model.safetensors': safetensors(bertTensors('bert.', 8, 2), 'BF16') }
  const [a, b] = [await vector(install(bert()), 'red'), await vector(install(bert(half)), 'red')]
  for (const [i, value] of a.entries()) expect(Math.abs(value - b[i]!)).toBeLessThan(0.1)
})

test('each pooling computes a different vector from the same rows', async () => {
  const modes = ['cls_token', 'mean_tokens', 'lasttoken', 'mean_sqrt_len_tokens', 'max_tokens']
  const vectors = new Map<string, number[]>()
  for (const mode of modes) {
    const pooling = { [`pooling_mode_${mode}`]: true }
    vectors.set(mode, await vector(install(bert({ '1_Pooling/config.json': pooling })), 'red car'))
  }
  expect(new Set([...vectors.values()].map(String)).size).toBe(modes.length)
  // There are four tokens, and the square root of four is two.
  const mean = vectors.get('mean_tokens')!
  expect(vectors.get('mean_sqrt_len_tokens')).toEqual(close(mean.map((value) => value * 2)))
  const plain = install(bert())
  expect(await vector(plain, 'red car')).toEqual(close(mean))
  expect(await vector(plain, 'red car', 'forceCls')).toEqual(close(vectors.get('cls_token')!))
  const cls = install(bert({ '1_Pooling/config.json': { pooling_mode_cls_token: true } }))
  expect(await vector(cls, 'red car', 'forceMean')).toEqual(close(mean))
})

test('of a long text the model reads as many tokens as it can', async () => {
  const model = install(bert())
  const full = await vector(model, 'red red red red red red red')
  expect(await vector(model, `${'red '.repeat(90)}`)).toEqual(close(full))
})

test('XLM-RoBERTa counts positions from behind its padding token', async () => {
  const shifted = bertTensors('', 8, 1)
  const positions = shifted['embeddings.position_embeddings.weight']!
  // The positions in BERT's form: without the two rows in front.
  const own = { shape: [6, WIDTH], values: positions.values.slice(2 * WIDTH) }
  const config = { ...MEASURES, type_vocab_size: 1 }
  const xlm = install(
    bert({
      'config.json': { ...config, model_type: 'xlm-roberta', max_position_embeddings: 8 },
      'model.safetensors': safetensors(shifted),
    }),
  )
  const same = install(
    bert({
      'config.json': { ...config, model_type: 'bert', max_position_embeddings: 6 },
      'model.safetensors': safetensors({
        ...shifted,
        'embeddings.position_embeddings.weight': own,
      }),
    }),
  )
  expect(await vector(xlm, 'red car sea')).toEqual(close(await vector(same, 'red car sea')))
  expect(await vector(xlm, 'sea car red')).not.toEqual(close(await vector(xlm, 'red car sea')))
})

// ModernBERT, implemented a second time in plain code: matrices are lists of rows.
type Matrix = number[][]
const rowsOf = ({ shape, values }: Tensors[string]): Matrix => {
  const [rows = 1, width = values.length] = shape
  return Array.from({ length: rows }, (_, r) => values.slice(r * width, (r + 1) * width))
}
const times = (x: Matrix, w: Matrix): Matrix =>
  x.map((row) => w.map((weights) => weights.reduce((sum, weight, i) => sum + weight * row[i]!, 0)))
const plus = (a: Matrix, b: Matrix): Matrix => a.map((row, r) => row.map((v, i) => v + b[r]![i]!))
const normed = (x: Matrix, scale: readonly number[]): Matrix =>
  x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length
    return row.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * scale[i]!)
  })
const turned = (row: readonly number[], position: number, theta: number): number[] => {
  const half = row.length / 2
  return row.map((value, i) => {
    const angle = position * theta ** ((-2 * (i % half)) / row.length)
    const partner = i < half ? -row[i + half]! : row[i - half]!
    return value * Math.cos(angle) + partner * Math.sin(angle)
  })
}

function modernBert(tensors: Tensors, tokens: readonly number[], reach: number): Matrix {
  const get = (name: string): Matrix => rowsOf(tensors[`${name}.weight`]!)
  const scale = (name: string): number[] => tensors[`${name}.weight`]!.values
  const words = get('embeddings.tok_embeddings')
  let x = normed(
    tokens.map((token) => words[token]!),
    scale('embeddings.norm'),
  )
  for (let layer = 0; layer < 2; layer++) {
    const isGlobal = layer === 0
    const input = layer === 0 ? x : normed(x, scale(`layers.${layer}.attn_norm`))
    const all = times(input, get(`layers.${layer}.attn.Wqkv`))
    const heads = [0, 2].map((head) => {
      const part = (offset: number, t: number): number[] =>
        all[t]!.slice(offset + head, offset + head + 2)
      const theta = isGlobal ? 160_000 : 10_000
      return tokens.map((_, t) => {
        const query = turned(part(0, t), t, theta)
        const weights = tokens.map((_, other) => {
          if (!isGlobal && Math.abs(other - t) > reach) return 0
          const key = turned(part(WIDTH, other), other, theta)
          return Math.exp((query[0]! * key[0]! + query[1]! * key[1]!) / Math.SQRT2)
        })
        const sum = weights.reduce((a, b) => a + b, 0)
        return [0, 1].map((i) =>
          weights.reduce((a, w, other) => a + (w / sum) * part(2 * WIDTH, other)[i]!, 0),
        )
      })
    })
    const attended = tokens.map((_, t) => [...heads[0]![t]!, ...heads[1]![t]!])
    x = plus(times(attended, get(`layers.${layer}.attn.Wo`)), x)
    const both = times(normed(x, scale(`layers.${layer}.mlp_norm`)), get(`layers.${layer}.mlp.Wi`))
    const gated = both.map((row) =>
      row.slice(0, INNER).map((value, i) => Math.max(value, 0) * row[INNER + i]!),
    )
    x = plus(times(gated, get(`layers.${layer}.mlp.Wo`)), x)
  }
  return normed(x, scale('final_norm'))
}

test('ModernBERT computes its definition', async () => {
  const shapes: [string, number[]][] = [
    ['embeddings.tok_embeddings', [WORDS.length, WIDTH]],
    ['embeddings.norm', [WIDTH]],
    ['layers.0.attn.Wqkv', [3 * WIDTH, WIDTH]],
    ['layers.0.attn.Wo', [WIDTH, WIDTH]],
    ['layers.0.mlp_norm', [WIDTH]],
    ['layers.0.mlp.Wi', [2 * INNER, WIDTH]],
    ['layers.0.mlp.Wo', [WIDTH, INNER]],
    ['layers.1.attn_norm', [WIDTH]],
    ['layers.1.attn.Wqkv', [3 * WIDTH, WIDTH]],
    ['layers.1.attn.Wo', [WIDTH, WIDTH]],
    ['layers.1.mlp_norm', [WIDTH]],
    ['layers.1.mlp.Wi', [2 * INNER, WIDTH]],
    ['layers.1.mlp.Wo', [WIDTH, INNER]],
    ['final_norm', [WIDTH]],
  ]
  const tensors: Tensors = Object.fromEntries(
    shapes.map(([name, shape], i) => [`${name}.weight`, tensor(i + 7, ...shape)]),
  )
  const model = install(
    bert({
      'config.json': {
        ...MEASURES,
        hidden_activation: 'relu',
        hidden_act: undefined,
        model_type: 'modernbert',
        max_position_embeddings: 16,
        local_attention: 4,
      },
      'model.safetensors': safetensors(tensors),
      '1_Pooling/config.json': { pooling_mode_lasttoken: true },
    }),
  )
  const rows = modernBert(tensors, [2, 4, 5, 6, 4, 3], 2)
  expect(await vector(model, 'red car sea red')).toEqual(close(rows.at(-1)!))
  expect(await vector(model, 'red car sea red', 'forceCls')).toEqual(close(rows[0]!))
})

test('the message about a missing model names it and says what to do', async () => {
  const reply = await ask('org/absent', 'x')
  expect(reply).toMatchObject({
    kind: 'fault',
    message: expect.stringContaining('`org/absent` at revision `main` is not on this machine'),
  })
  for (const name of ['../../etc', '..', 'a/../../b', '']) {
    expect(await ask(name, 'x')).toMatchObject({ kind: 'fault' })
  }
  expect(await ask(install(bert()), 'x', 'useModel', '../main')).toMatchObject({ kind: 'fault' })
})

test('a revision is a name or a commit', async () => {
  const model = install(bert())
  expect(await ask(model, 'x', 'useModel', 'abc123')).toMatchObject({ kind: 'vector' })
  expect(await ask(model, 'x', 'useModel', 'v9')).toMatchObject({ kind: 'fault' })
})

test('files that are missing, damaged or of another kind are reported', async () => {
  const broken = bertTensors('', 8, 2)
  const { 'embeddings.LayerNorm.bias': _, ...incomplete } = broken
  const whole = safetensors(broken)
  const config = bert()['config.json'] as object
  expect(await faultOf(bert({ 'config.json': null }))).toContain('`config.json` is missing')
  expect(await faultOf(bert({ 'tokenizer.json': null }))).toContain('`tokenizer.json` is missing')
  expect(await faultOf(bert({ 'model.safetensors': null }))).toContain('are missing')
  expect(await faultOf(bert({ 'config.json': Buffer.from('{') }))).toContain('is not JSON')
  expect(await faultOf(bert({ 'config.json': { ...config, model_type: 't5' } }))).toContain(
    'models of the type `t5` do not run here',
  )
  expect(await faultOf(bert({ 'config.json': { ...config, hidden_size: 5 } }))).toContain(
    'do not fit',
  )
  expect(await faultOf(bert({ 'config.json': { ...config, vocab_size: 9 } }))).toContain(
    'has the shape [7,4], not [9,4]',
  )
  for (const [bytes, words] of [
    [safetensors(incomplete), '`embeddings.LayerNorm.bias` is missing'],
    [whole.subarray(0, whole.length - 1), 'has other bytes than its shape says'],
    [whole.subarray(0, 20), 'its table is too long'],
    [Buffer.alloc(4), 'it is too short'],
    [Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{]')]), 'is not JSON'],
  ] as const) {
    expect(await faultOf(bert({ 'model.safetensors': bytes }))).toContain(words)
  }
})

test('a tokenizer must be one, and know no more tokens than the model', async () => {
  expect(await faultOf(bert({ 'tokenizer.json': {} }))).toMatch(
    /^`tokenizer\.json` cannot be used: ./,
  )
  const { model } = TOKENIZER
  const vocab = { ...model.vocab, blue: WORDS.length }
  const files = bert({ 'tokenizer.json': { ...TOKENIZER, model: { ...model, vocab } } })
  expect(await faultOf(files, 'red blue')).toBe(
    `the tokenizer knows the token ${WORDS.length}, the model does not`,
  )
  expect(await faultOf(files, 'red')).toContain('"kind":"vector"')
})

test('a text without tokens has the vector of the first one', async () => {
  const name = install(bert({ 'tokenizer.json': { ...TOKENIZER, post_processor: null } }))
  expect(await vector(name, '')).toEqual(await vector(name, '[PAD]'))
  expect(await vector(name, '')).not.toEqual(await vector(name, 'red'))
})

test('a mistake is no fault of a model, and tokens need none', async () => {
  const files = { 'model.safetensors': null, 'model.onnx': Buffer.from('x') }
  const name = { model: install(bert(files)), revision: null, pooling: 'useModel' } as const
  const answerOf = (mistake: unknown) => {
    const core = new ModelCore(new RealFileSystem(home.path), () => Promise.reject(mistake))
    return core.answer({ job: 4, name, text: 'red' })
  }
  expect(await answerOf(new TypeError('a mistake'))).toEqual({
    kind: 'failed',
    job: 4,
    message: expect.stringMatching(/^TypeError: a mistake\n +at /),
  })
  expect(await answerOf('words')).toEqual({ kind: 'failed', job: 4, message: 'words' })
  expect(await answerOf(new ModelFault('why'))).toEqual({ kind: 'fault', job: 4, message: 'why' })
  const core = new ModelCore(new RealFileSystem(home.path))
  const few = { kind: 'tokens', job: 5, tokens: null }
  expect(await core.answer({ job: 5, name: null, text: 'red' })).toEqual(few)
  expect(await core.answer({ job: 5, name: null, text: null })).toEqual(few)
})
