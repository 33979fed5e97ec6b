// ModernBERT (Warner and others, 2024): norms before each step, positions as rotations, gates in
// the inner layers, and most layers attend to near tokens alone.
import { attend, rotate } from './attention.ts'
import type { ModelConfig } from './config.ts'
import type { Encoder } from './encoder.ts'
import { addTo, layerNorm, linear } from './math.ts'
import type { Weights } from './safetensors.ts'

type Layer = {
  /** null for the first layer, whose input is already normalised. */
  readonly attentionNorm: Float32Array | null
  /** Queries, keys and values one after another. */
  readonly projections: Float32Array
  readonly attended: Float32Array
  readonly innerNorm: Float32Array
  /** The input weights, then the gates. */
  readonly inner: Float32Array
  readonly outer: Float32Array
  readonly isGlobal: boolean
}

export class ModernBert implements Encoder {
  readonly width: number
  readonly tokensMax: number
  readonly vocabulary: number
  readonly #config: ModelConfig
  readonly #words: Float32Array
  readonly #norm: Float32Array
  readonly #lastNorm: Float32Array
  readonly #layers: readonly Layer[]

  /** @throws ModelFault */
  constructor(weights: Weights, config: ModelConfig) {
    const { width, inner, layers, vocabulary, positions, globalEvery } = config
    this.#config = config
    this.width = width
    this.vocabulary = vocabulary
    this.tokensMax = positions
    const prefix = weights.has('model.embeddings.tok_embeddings.weight') ? 'model.' : ''
    const tensor = (name: string, ...shape: readonly number[]): Float32Array =>
      weights.tensor(`${prefix}${name}.weight`, ...shape).values
    this.#words = tensor('embeddings.tok_embeddings', vocabulary, width)
    this.#norm = tensor('embeddings.norm', width)
    this.#lastNorm = tensor('final_norm', width)
    this.#layers = Array.from({ length: layers }, (_, i) => ({
      attentionNorm: i === 0 ? null : tensor(`layers.${i}.attn_norm`, width),
      projections: tensor(`layers.${i}.attn.Wqkv`, 3 * width, width),
      attended: tensor(`layers.${i}.attn.Wo`, width, width),
      innerNorm: tensor(`layers.${i}.mlp_norm`, width),
      inner: tensor(`layers.${i}.mlp.Wi`, 2 * inner, width),
      outer: tensor(`layers.${i}.mlp.Wo`, width, inner),
      isGlobal: i % globalEvery === 0,
    }))
  }

  encode(tokens: Uint32Array): Float32Array {
    const { width, epsilon } = this.#config
    const words = new Float32Array(tokens.length * width)
    for (const [t, token] of tokens.entries()) {
      words.set(this.#words.subarray(token * width, (token + 1) * width), t * width)
    }
    let rows = layerNorm(words, width, this.#norm, null, epsilon)
    for (const layer of this.#layers) rows = this.#layer(layer, rows, tokens.length)
    return layerNorm(rows, width, this.#lastNorm, null, epsilon)
  }

  #layer(layer: Layer, rows: Float32Array, tokens: number): Float32Array {
    const { width, inner, epsilon, activation } = this.#config
    const { attentionNorm } = layer
    const normed =
      attentionNorm === null ? rows : layerNorm(rows, width, attentionNorm, null, epsilon)
    const attended = this.#attend(layer, normed, tokens)
    const mixed = addTo(linear(attended, tokens, width, layer.attended, null, width), rows)
    const input = layerNorm(mixed, width, layer.innerNorm, null, epsilon)
    const both = linear(input, tokens, width, layer.inner, null, 2 * inner)
    const gated = new Float32Array(tokens * inner)
    for (let t = 0; t < tokens; t++) {
      const at = 2 * t * inner
      for (let i = 0; i < inner; i++) {
        gated[t * inner + i] = activation(both[at + i]!) * both[at + inner + i]!
      }
    }
    return addTo(linear(gated, tokens, inner, layer.outer, null, width), mixed)
  }

  #attend(layer: Layer, normed: Float32Array, tokens: number): Float32Array {
    const { width, heads, reach, globalTheta, localTheta } = this.#config
    const project = (part: number): Float32Array => {
      const weight = layer.projections.subarray(part * width * width, (part + 1) * width * width)
      return linear(normed, tokens, width, weight, null, width)
    }
    const shape = {
      tokens,
      heads,
      width: width / heads,
      reach: layer.isGlobal ? Number.POSITIVE_INFINITY : reach,
    }
    const projected = { queries: project(0), keys: project(1), values: project(2) }
    const theta = layer.isGlobal ? globalTheta : localTheta
    rotate(projected.queries, shape, theta)
    rotate(projected.keys, shape, theta)
    return attend(projected, shape)
  }
}
