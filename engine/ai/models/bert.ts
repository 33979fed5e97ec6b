// BERT and XLM-RoBERTa. Their layers are the same, but XLM-RoBERTa counts positions from the number
// of its padding token on, and its texts have one type.
import { attend } from './attention.ts'
import type { ModelConfig } from './config.ts'
import type { Encoder } from './encoder.ts'
import { type Activation, addTo, layerNorm, linear } from './math.ts'
import type { Weights } from './safetensors.ts'

type Linear = { readonly weight: Float32Array; readonly bias: Float32Array }

type Layer = {
  readonly query: Linear
  readonly key: Linear
  readonly value: Linear
  readonly attended: Linear
  readonly attendedNorm: Linear
  readonly inner: Linear
  readonly outer: Linear
  readonly outerNorm: Linear
}

export class Bert implements Encoder {
  readonly width: number
  readonly tokensMax: number
  readonly vocabulary: number
  readonly #config: ModelConfig
  readonly #words: Float32Array
  readonly #positions: Float32Array
  readonly #type: Float32Array
  readonly #norm: Linear
  readonly #layers: readonly Layer[]
  /** Position of the first token. */
  readonly #firstPosition: number

  /** @throws ModelFault */
  constructor(weights: Weights, config: ModelConfig, isXlm: boolean) {
    const { width, inner, layers, vocabulary, positions, types } = config
    this.#config = config
    this.width = width
    this.vocabulary = vocabulary
    this.#firstPosition = isXlm ? config.paddingToken + 1 : 0
    this.tokensMax = positions - this.#firstPosition
    const prefix = ['', 'bert.', 'roberta.'].find((one) =>
      weights.has(`${one}embeddings.word_embeddings.weight`),
    )
    const at = (name: string): string => `${prefix ?? ''}${name}`
    const matrix = (name: string, rows: number, columns: number): Float32Array =>
      weights.tensor(at(name), rows, columns).values
    const dense = (name: string, outputs: number, inputs: number): Linear => ({
      weight: matrix(`${name}.weight`, outputs, inputs),
      bias: weights.tensor(at(`${name}.bias`), outputs).values,
    })
    const norm = (name: string): Linear => ({
      weight: weights.tensor(at(`${name}.weight`), width).values,
      bias: weights.tensor(at(`${name}.bias`), width).values,
    })
    this.#words = matrix('embeddings.word_embeddings.weight', vocabulary, width)
    this.#positions = matrix('embeddings.position_embeddings.weight', positions, width)
    this.#type = matrix('embeddings.token_type_embeddings.weight', types, width).slice(0, width)
    this.#norm = norm('embeddings.LayerNorm')
    this.#layers = Array.from({ length: layers }, (_, i) => {
      const layer = `encoder.layer.${i}`
      return {
        query: dense(`${layer}.attention.self.query`, width, width),
        key: dense(`${layer}.attention.self.key`, width, width),
        value: dense(`${layer}.attention.self.value`, width, width),
        attended: dense(`${layer}.attention.output.dense`, width, width),
        attendedNorm: norm(`${layer}.attention.output.LayerNorm`),
        inner: dense(`${layer}.intermediate.dense`, inner, width),
        outer: dense(`${layer}.output.dense`, width, inner),
        outerNorm: norm(`${layer}.output.LayerNorm`),
      }
    })
  }

  encode(tokens: Uint32Array): Float32Array {
    const { width, epsilon } = this.#config
    let rows: Float32Array = new Float32Array(tokens.length * width)
    for (const [t, token] of tokens.entries()) {
      const word = token * width
      const position = (this.#firstPosition + t) * width
      for (let i = 0; i < width; i++) {
        rows[t * width + i] =
          this.#words[word + i]! + this.#positions[position + i]! + this.#type[i]!
      }
    }
    rows = layerNorm(rows, width, this.#norm.weight, this.#norm.bias, epsilon)
    for (const layer of this.#layers) rows = this.#layer(layer, rows, tokens.length)
    return rows
  }

  #layer(layer: Layer, rows: Float32Array, tokens: number): Float32Array {
    const { width, heads, inner, epsilon, activation } = this.#config
    const dense = (x: Float32Array, { weight, bias }: Linear, inputs: number, outputs: number) =>
      linear(x, tokens, inputs, weight, bias, outputs)
    const attended = attend(
      {
        queries: dense(rows, layer.query, width, width),
        keys: dense(rows, layer.key, width, width),
        values: dense(rows, layer.value, width, width),
      },
      { tokens, heads, width: width / heads, reach: Number.POSITIVE_INFINITY },
    )
    const mixed = addTo(dense(attended, layer.attended, width, width), rows)
    const { attendedNorm, outerNorm } = layer
    const normed = layerNorm(mixed, width, attendedNorm.weight, attendedNorm.bias, epsilon)
    const widened = activate(dense(normed, layer.inner, width, inner), activation)
    const narrowed = addTo(dense(widened, layer.outer, inner, width), normed)
    return layerNorm(narrowed, width, outerNorm.weight, outerNorm.bias, epsilon)
  }
}

function activate(x: Float32Array, activation: Activation): Float32Array {
  for (let i = 0; i < x.length; i++) x[i] = activation(x[i]!)
  return x
}
