// The parts of local models: weights, configuration, arithmetic, pooling, files of the hub.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Canceled } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { EmbeddingFailure } from '../providers/index.ts'
import { ModelClient } from './client.ts'
import { readConfig } from './config.ts'
import { findModel, readJson } from './hub.ts'
import { ACTIVATIONS, addTo, dot, layerNorm, linear, softmax } from './math.ts'
import { ModelFault } from './model-fault.ts'
import { pool, poolingOf } from './pooling.ts'
import { Weights } from './safetensors.ts'
import { firstTokens } from './tokens.ts'

const floats = (...values: readonly number[]): Float32Array => Float32Array.from(values)

describe('weights', () => {
  function fileOf(table: object | string, data: Uint8Array = new Uint8Array(0)): Uint8Array {
    const json = Buffer.from(typeof table === 'string' ? table : JSON.stringify(table))
    const head = Buffer.alloc(8)
    head.writeBigUInt64LE(BigInt(json.length))
    return new Uint8Array(Buffer.concat([head, json, data]))
  }
  const one = (dtype: string, shape: readonly number[], data: Uint8Array) =>
    new Weights(fileOf({ w: { dtype, shape, data_offsets: [0, data.length] } }, data)).tensor(
      'w',
      ...shape,
    ).values
  const bytesOf = (array: { readonly buffer: ArrayBufferLike }): Uint8Array =>
    new Uint8Array(array.buffer as ArrayBuffer)

  it('of each type become 32-bit floats', () => {
    expect([...one('F32', [2], bytesOf(floats(1.5, -2)))]).toEqual([1.5, -2])
    const halves = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x8400, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0)
    expect([...one('F16', [9], bytesOf(halves))]).toEqual([
      1,
      -2,
      2 ** -24,
      -(2 ** -14),
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      Math.fround(0x555 / 4096),
      0,
    ])
    expect([...one('BF16', [2], bytesOf(Uint16Array.of(0x3f80, 0xc040)))]).toEqual([1, -3])
    expect([...one('I64', [2], bytesOf(BigInt64Array.of(7n, -1n)))]).toEqual([7, -1])
  })

  it('are found by name and shape', () => {
    const data = bytesOf(floats(1, 2, 3, 4, 5, 6))
    const weights = new Weights(
      fileOf(
        {
          __metadata__: { format: 'pt' },
          a: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] },
          b: { dtype: 'F32', shape: [2], data_offsets: [16, 24] },
        },
        data,
      ),
    )
    expect([...weights.names]).toEqual(['a', 'b'])
    expect([weights.has('a'), weights.has('__metadata__')]).toEqual([true, false])
    expect([...weights.tensor('b', 2).values]).toEqual([5, 6])
    expect(() => weights.tensor('c', 2)).toThrow('the tensor `c` is missing')
    expect(() => weights.tensor('a', 4)).toThrow('`a` has the shape [2,2], not [4]')
    expect(() => weights.tensor('a', 2, 3)).toThrow('not [2,3]')
  })

  const entry = { dtype: 'F32', shape: [1], data_offsets: [0, 4] }
  it.each<[Uint8Array, string]>([
    [new Uint8Array(7), 'it is too short'],
    [Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 123]), 'its table is too long'],
    [fileOf('{'), 'its table is not JSON'],
    [fileOf('[]'), 'its table is not JSON'],
    [fileOf({ w: 5 }), 'the entry of `w` is wrong'],
    [fileOf({ w: { ...entry, shape: [-1] } }), 'the entry of `w` is wrong'],
    [fileOf({ w: { ...entry, dtype: 5 } }), 'the entry of `w` is wrong'],
    [fileOf({ w: { ...entry, data_offsets: ['a'] } }), 'the entry of `w` is wrong'],
    [fileOf({ w: { ...entry, dtype: 'I8' } }), 'the type I8, which is not read here'],
    [fileOf({ w: { ...entry, shape: [2] } }, new Uint8Array(8)), 'other bytes than its shape says'],
    [fileOf({ w: entry }, new Uint8Array(3)), 'other bytes than its shape says'],
  ])('that are damaged are refused (%#)', (bytes, words) => {
    expect(() => new Weights(bytes)).toThrow(ModelFault)
    expect(() => new Weights(bytes)).toThrow(words)
  })
})

describe('a configuration', () => {
  const BERT = {
    model_type: 'bert',
    hidden_size: 8,
    num_attention_heads: 2,
    intermediate_size: 16,
    num_hidden_layers: 3,
    vocab_size: 100,
    max_position_embeddings: 64,
    type_vocab_size: 2,
  }
  it('has the defaults of its kind', () => {
    expect(readConfig(BERT)).toMatchObject({
      kind: 'bert',
      width: 8,
      heads: 2,
      inner: 16,
      layers: 3,
      vocabulary: 100,
      positions: 64,
      types: 2,
      paddingToken: 0,
      epsilon: 1e-12,
      activation: ACTIVATIONS.get('gelu'),
      globalEvery: 3,
      reach: 64,
      globalTheta: 160_000,
      localTheta: 10_000,
    })
    expect(readConfig({ ...BERT, model_type: 'xlm-roberta' }).paddingToken).toBe(1)
    const { type_vocab_size: _, ...modern } = BERT
    expect(readConfig({ ...modern, model_type: 'modernbert' })).toMatchObject({
      types: 0,
      epsilon: 1e-5,
    })
  })

  it('has what it says', () => {
    const given = { hidden_act: 'relu', layer_norm_eps: 0.5, pad_token_id: 7, local_attention: 9 }
    expect(readConfig({ ...BERT, ...given })).toMatchObject({
      activation: ACTIVATIONS.get('relu'),
      epsilon: 0.5,
      paddingToken: 7,
      reach: 4,
    })
    const modern = { ...BERT, model_type: 'modernbert', norm_eps: 0.25, hidden_activation: 'silu' }
    const rope = { global_attn_every_n_layers: 2, global_rope_theta: 5, local_rope_theta: 6 }
    expect(readConfig({ ...modern, ...rope })).toMatchObject({
      epsilon: 0.25,
      activation: ACTIVATIONS.get('silu'),
      globalEvery: 2,
      globalTheta: 5,
      localTheta: 6,
    })
  })

  it.each<[unknown, string]>([
    [null, '`config.json` is missing or no object'],
    [{ ...BERT, model_type: 'gpt2' }, 'models of the type `gpt2` do not run here'],
    [{ ...BERT, hidden_size: 'x' }, 'has no number `hidden_size`'],
    [{ ...BERT, hidden_size: -8 }, 'has no number `hidden_size`'],
    [{ ...BERT, vocab_size: 0 }, '`vocab_size` of `config.json` is 0'],
    [{ ...BERT, vocab_size: 1.5 }, '`vocab_size` of `config.json` is 1.5'],
    [{ ...BERT, vocab_size: 10_000_001 }, 'is 10000001'],
    [{ ...BERT, type_vocab_size: undefined }, 'has no number `type_vocab_size`'],
    [{ ...BERT, hidden_act: 'nope' }, 'the activation `nope` is not known here'],
    [{ ...BERT, hidden_size: 10 }, '10 values do not fit 2 heads'],
  ])('%j is refused', (json, words) => {
    expect(() => readConfig(json)).toThrow(words)
    expect(() => readConfig(json)).toThrow(ModelFault)
  })
})

describe('arithmetic', () => {
  const value = fc.integer({ min: -8, max: 8 })

  it('multiplies rows by rows of weights, for any sizes', () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.nat(4),
      fc.integer({ min: 1, max: 5 }),
    )
    fc.assert(
      fc.property(
        sizes,
        fc.boolean(),
        fc.infiniteStream(value),
        ([rows, inputs, outputs], biased, all) => {
          const take = (count: number) =>
            floats(...Array.from({ length: count }, () => all.next().value))
          const [x, weight] = [take(rows * inputs), take(outputs * inputs)]
          const bias = biased ? take(outputs) : null
          const y = linear(x, rows, inputs, weight, bias, outputs)
          for (let r = 0; r < rows; r++) {
            for (let o = 0; o < outputs; o++) {
              let sum = bias?.[o] ?? 0
              for (let i = 0; i < inputs; i++) sum += x[r * inputs + i]! * weight[o * inputs + i]!
              expect(y[r * outputs + o]).toBe(sum)
            }
          }
        },
      ),
    )
  })

  it('adds, multiplies and normalises', () => {
    expect(dot(floats(9, 1, 2), 1, floats(3, 4, 9), 0, 2)).toBe(11)
    const x = floats(1, 2)
    expect([addTo(x, floats(3, 4)), [...x]]).toEqual([x, [4, 6]])
    const rows = floats(1, 3, 5, 5)
    const plain = layerNorm(rows, 2, floats(1, 1), null, 0.000001)
    expect([...plain].map((one) => one.toFixed(4))).toEqual([
      '-1.0000',
      '1.0000',
      '0.0000',
      '0.0000',
    ])
    const scaled = layerNorm(rows, 2, floats(2, 3), floats(10, 20), 3)
    expect([...scaled]).toEqual([9, 21.5, 10, 20])
    expect([...rows]).toEqual([1, 3, 5, 5])
  })

  it('turns scores into shares', () => {
    const scores = floats(7, 0, Math.log(3), 7)
    softmax(scores, 1, 2)
    expect([...scores].map((one) => one.toFixed(4))).toEqual([
      '7.0000',
      '0.2500',
      '0.7500',
      '7.0000',
    ])
    const large = floats(1000, 1000)
    softmax(large, 0, 2)
    expect([...large]).toEqual([0.5, 0.5])
  })

  it.each([
    ['gelu', [-0.158655, 0, 0.841345, 1.9545]],
    ['gelu_new', [-0.158808, 0, 0.841192, 1.9546]],
    ['gelu_pytorch_tanh', [-0.158808, 0, 0.841192, 1.9546]],
    ['gelu_approximate', [-0.158808, 0, 0.841192, 1.9546]],
    ['relu', [0, 0, 1, 2]],
    ['silu', [-0.268941, 0, 0.731059, 1.761594]],
  ])('activates by %s', (name, expected) => {
    const activation = ACTIVATIONS.get(name)!
    for (const [i, x] of [-1, 0, 1, 2].entries()) expect(activation(x)).toBeCloseTo(expected[i]!, 4)
  })
})

describe('pooling', () => {
  const rows = floats(1, 2, 3, 8)
  it.each([
    ['cls', [1, 2]],
    ['last', [3, 8]],
    ['mean', [2, 5]],
    ['max', [3, 8]],
    ['meanSqrt', [4 / Math.SQRT2, 10 / Math.SQRT2]],
  ] as const)('by %s', (how, vector) => {
    expect([...pool(rows, 2, 2, how)]).toEqual(vector.map(Math.fround))
  })

  it('follows the setting, then the model', () => {
    const file = (member: string) => ({ [member]: true })
    expect(poolingOf(file('pooling_mode_max_tokens'), 'forceCls')).toBe('cls')
    expect(poolingOf(file('pooling_mode_max_tokens'), 'forceMean')).toBe('mean')
    for (const [member, how] of [
      ['pooling_mode_cls_token', 'cls'],
      ['pooling_mode_mean_tokens', 'mean'],
      ['pooling_mode_lasttoken', 'last'],
      ['pooling_mode_mean_sqrt_len_tokens', 'meanSqrt'],
      ['pooling_mode_max_tokens', 'max'],
      ['other', 'mean'],
    ] as const) {
      expect(poolingOf(file(member), 'useModel')).toBe(how)
    }
    const both = { pooling_mode_max_tokens: true, pooling_mode_lasttoken: true }
    expect(poolingOf(both, 'useModel')).toBe('last')
    expect(poolingOf(null, 'useModel')).toBe('mean')
    expect(poolingOf({ pooling_mode_cls_token: 'true' }, 'useModel')).toBe('mean')
  })
})

describe('the cache of the hub', () => {
  function hubWith(files: { readonly [path: string]: string }) {
    const fs = new FakeDisk().mount()
    const made = new Set<string>()
    for (const [path, content] of Object.entries(files)) {
      const parts = path.split('/').slice(0, -1)
      parts.forEach((_, i) => {
        const folder = parts.slice(0, i + 1).join('/')
        if (!made.has(folder)) fs.makeDirectory(folder)
        made.add(folder)
      })
      const file = fs.open(path, 'create')
      file.write(0, Buffer.from(content))
      file.close()
    }
    return fs
  }
  const model = 'hub/models--org--name'
  const fs = hubWith({
    [`${model}/refs/main`]: 'abc\n',
    [`${model}/refs/evil`]: '../../..',
    [`${model}/snapshots/abc/config.json`]: '{"a":1}',
    [`${model}/snapshots/abc/broken.json`]: '{',
  })

  it('names commits by revisions', () => {
    for (const revision of [null, 'main', 'abc']) {
      expect(findModel(fs, 'org/name', revision).folder).toBe(`${model}/snapshots/abc`)
    }
    for (const [name, revision, words] of [
      ['org/name', 'def', 'is not on this machine'],
      ['org/other', null, 'the model `org/other` at revision `main` is not on this machine'],
      ['org/name', 'evil', 'is not on this machine'],
      ['..', null, '`..` at `main` names no model'],
      ['org/..', null, 'names no model'],
      ['org/name', '../x', 'names no model'],
      ['a b', null, 'names no model'],
      ['a'.repeat(201), null, 'names no model'],
    ] as const) {
      expect(() => findModel(fs, name, revision)).toThrow(words)
    }
  })

  it('has files that may be missing', () => {
    const files = findModel(fs, 'org/name', null)
    expect([readJson(files, 'config.json'), readJson(files, 'none.json')]).toEqual([{ a: 1 }, null])
    expect(() => readJson(files, 'broken.json')).toThrow('`broken.json` is not JSON')
  })
})

describe('a client of models', () => {
  const name = { model: 'm', revision: null, pooling: 'useModel' } as const
  const clientOf = (answer: (text: string | null) => object) =>
    new ModelClient(
      async (_, text) => ({ job: 0, ...answer(text) }) as never,
      async () => undefined,
    )

  it('asks for each text, and stops when it is aborted', async () => {
    const controller = new AbortController()
    const asked: (string | null)[] = []
    const client = clientOf((text) => {
      asked.push(text)
      if (text === 'b') controller.abort()
      return { kind: 'vector', vector: floats(text!.length) }
    })
    expect(await client.embed(name, ['a', 'xx'], null)).toEqual([floats(1), floats(2)])
    await expect(client.embed(name, ['b', 'c'], controller.signal)).rejects.toBeInstanceOf(Canceled)
    expect(asked).toEqual(['a', 'xx', 'b'])
    expect(await clientOf(() => ({ kind: 'dimensions', dimensions: 5 })).dimensions(name)).toBe(5)
  })

  it('reports faults of a model to the user, and mistakes as they are', async () => {
    const fault = clientOf(() => ({ kind: 'fault', message: 'why' }))
    await expect(fault.dimensions(name)).rejects.toBeInstanceOf(EmbeddingFailure)
    await expect(fault.embed(name, ['a'], null)).rejects.toThrow(
      'user error: could not use the model `m`:\n  - why',
    )
    const failed = clientOf(() => ({ kind: 'failed', message: 'bug' }))
    await expect(failed.dimensions(name)).rejects.toThrow(/^bug$/)
    await expect(failed.firstTokens('x')).rejects.toThrow(/^bug$/)
  })

  it('returns tokens as a list', async () => {
    const tokens = clientOf((text) => ({
      kind: 'tokens',
      tokens: text === 'long' ? Uint32Array.of(1, 2) : null,
    }))
    expect([await tokens.firstTokens('long'), await tokens.firstTokens('x')]).toEqual([
      [1, 2],
      null,
    ])
  })
})

test('a text has its first tokens if there are as many', async () => {
  const text = 'one two three four five '.repeat(200)
  const all = await firstTokens(text, 10)
  expect(all).toHaveLength(10)
  const some = await firstTokens('one two three', 3)
  expect(some).toEqual(all!.slice(0, 3))
  expect(await firstTokens('one two three', 4)).toBeNull()
  expect(await firstTokens('', 1)).toBeNull()
  const many = await firstTokens(text, 900)
  expect([...many!.slice(0, 10)]).toEqual([...all!])
  expect([...many!.slice(5, 10)]).toEqual([...many!.slice(505, 510)])
})
